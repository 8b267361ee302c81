//! The ports of the agent without the rooms behind them: they remember what they were asked and answer as told.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use facsimile_agent::ports::{
    AssetShelf, BoxFinder, BoxInThousandths, BoxPx, Candidate, Cutting, ImageOrigin, KeptAsset, PieceState,
    Segmenter, TaskBoard, TaskNews, TaskOrder, TaskPiece, TaskStanding, VisibleImage,
};
use facsimile_agent::{AssetId, ErrorKind, Failure, ProjectPath, TaskId, ToolFailure};
use futures::FutureExt;
use futures::future::BoxFuture;

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An asset whose content has this number.
///
/// # Panics
/// Never: a number is a hash of sixty-four digits.
#[allow(clippy::panic)]
pub fn asset(content: usize) -> AssetId {
    let Some(id) = AssetId::parse(&format!("{content:064x}")) else { panic!("64 digits are an asset") };
    id
}

/// A PNG of the designer's, 400 px wide and 200 px high, whose content has this number.
pub fn upload(name: &str, content: usize) -> VisibleImage {
    VisibleImage {
        name: name.to_owned(),
        origin: ImageOrigin::Uploaded,
        asset: asset(content),
        mime: "image/png".to_owned(),
        bytes: content.to_string().into_bytes().into(),
        width_px: 400,
        height_px: 200,
        is_animated: false,
    }
}

/// Keeps what it is given in memory.
#[derive(Default)]
pub struct Shelf {
    kept: Mutex<BTreeMap<Vec<u8>, Labelled>>,
}

/// An asset and the labels it was given under.
type Labelled = (AssetId, Vec<String>);

impl Shelf {
    /// What is kept: bytes as text, with the labels they were given under.
    pub fn kept(&self) -> Vec<(String, Vec<String>)> {
        let kept = held(&self.kept);
        kept.iter()
            .map(|(bytes, (_, labels))| (String::from_utf8_lossy(bytes).into(), labels.clone()))
            .collect()
    }
}

impl AssetShelf for Shelf {
    fn keep(
        &self,
        label: &str,
        _mime: &str,
        bytes: Arc<[u8]>,
    ) -> BoxFuture<'_, Result<KeptAsset, ToolFailure>> {
        let mut kept = held(&self.kept);
        // Another content, another number: enough like a hash for a test.
        let number =
            bytes.iter().fold(7_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(*byte)));
        let (id, labels) = kept.entry(bytes.to_vec()).or_insert_with(|| (asset(number), Vec::new()));
        labels.push(label.to_owned());
        let id = id.clone();
        let path = format!("assets/{}.png", &id.as_str()[48..]);
        let path = ProjectPath::parse(&path).map_err(|refused| ToolFailure::new(refused.to_string()));
        async move { Ok(KeptAsset { id, path: path? }) }.boxed()
    }
}

/// Knows the pictures of every image, and cuts out whatever touches one.
#[derive(Default)]
pub struct Cutter {
    /// What looks like a picture.
    pub pictures: Vec<BoxPx>,
    /// The images it was to cut, with the number of boxes.
    pub looked_at: Mutex<Vec<(String, usize)>>,
}

impl Segmenter for Cutter {
    fn candidates(&self, _image: &VisibleImage) -> BoxFuture<'_, Result<Vec<Candidate>, ToolFailure>> {
        let candidates =
            self.pictures.iter().map(|place| Candidate { place: *place, kind: "photo" }).collect();
        async move { Ok(candidates) }.boxed()
    }

    fn cut(
        &self,
        image: &VisibleImage,
        rough: Vec<BoxInThousandths>,
    ) -> BoxFuture<'_, Result<Vec<Option<Cutting>>, ToolFailure>> {
        held(&self.looked_at).push((image.name.clone(), rough.len()));
        let (height, width) = (f64::from(image.height_px) / 1000.0, f64::from(image.width_px) / 1000.0);
        let cutting = |BoxInThousandths([top, left, bottom, right]): BoxInThousandths| {
            let touches = |place: &&BoxPx| {
                let (x, y) = (f64::from(place.x), f64::from(place.y));
                left * width < x + f64::from(place.width)
                    && x < right * width
                    && top * height < y + f64::from(place.height)
                    && y < bottom * height
            };
            self.pictures.iter().find(touches).map(|place| Cutting {
                place: *place,
                png: format!("{}@{},{}", image.name, place.x, place.y).into_bytes().into(),
                has_alpha: false,
            })
        };
        let cuttings = rough.into_iter().map(cutting).collect();
        async move { Ok(cuttings) }.boxed()
    }
}

/// Sees what it was told about, by description.
#[derive(Default)]
pub struct Finder {
    /// What is where.
    pub sees: HashMap<String, BoxInThousandths>,
}

impl BoxFinder for Finder {
    fn find(
        &self,
        _image: &VisibleImage,
        descriptions: &[String],
    ) -> BoxFuture<'_, Result<Vec<Option<BoxInThousandths>>, ToolFailure>> {
        let seen = descriptions.iter().map(|description| self.sees.get(description).copied()).collect();
        async move { Ok(seen) }.boxed()
    }
}

/// What is to become of a task on a [`Board`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Every picture is there at once.
    Made,
    /// All but the first are there at once.
    MadeButTheFirst,
    /// It goes wrong at once.
    Failed,
    /// It goes on for ever.
    Open,
    /// It goes on, and all pictures are there when news are asked for.
    MadeLater,
    /// It goes on, and all pictures are there when news are asked for a second time.
    MadeLast,
    /// It goes on, and has gone wrong when news are asked for a second time.
    FailedLater,
    /// The cap does not allow it.
    Refused,
}

/// A board whose tasks have the fates it was told, in their order; more tasks share the last one.
pub struct Board {
    fates: Mutex<VecDeque<Fate>>,
    state: Mutex<BoardState>,
}

#[derive(Default)]
struct BoardState {
    orders: Vec<TaskOrder>,
    waits: Vec<Duration>,
    untold: Vec<(TaskNews, Fate)>,
    asked: usize,
    cancelled: Vec<TaskId>,
}

impl Board {
    /// A board on which these become of its tasks.
    pub fn with(fates: impl IntoIterator<Item = Fate>) -> Arc<Self> {
        Arc::new(Self { fates: Mutex::new(fates.into_iter().collect()), state: Mutex::default() })
    }

    /// What was ordered.
    pub fn orders(&self) -> Vec<TaskOrder> {
        held(&self.state).orders.clone()
    }

    /// How long tools were ready to wait.
    pub fn waits(&self) -> Vec<Duration> {
        held(&self.state).waits.clone()
    }

    /// How many tasks were stopped.
    pub fn cancelled(&self) -> usize {
        held(&self.state).cancelled.len()
    }
}

impl TaskBoard for Board {
    fn start(&self, order: TaskOrder) -> BoxFuture<'_, Result<TaskNews, ToolFailure>> {
        let mut fates = held(&self.fates);
        let fate = if fates.len() > 1 { fates.pop_front() } else { fates.front().copied() };
        let fate = fate.unwrap_or(Fate::Made);
        let mut state = held(&self.state);
        let number = state.orders.len();
        state.orders.push(order.clone());
        async move {
            if fate == Fate::Refused {
                return Err(ToolFailure::new("the spend cap of the run does not allow it"));
            }
            let news = begun(&order, number)?;
            held(&self.state).untold.push((news.clone(), fate));
            Ok(news)
        }
        .boxed()
    }

    fn wait(&self, task: TaskId, at_most: Duration) -> BoxFuture<'_, Result<TaskNews, ToolFailure>> {
        let mut state = held(&self.state);
        state.waits.push(at_most);
        let found = state.untold.iter().position(|(news, _)| news.id == task);
        let told = found.map(|at| {
            let (mut news, fate) = state.untold[at].clone();
            match fate {
                Fate::Made | Fate::MadeButTheFirst | Fate::Failed => {
                    state.untold.remove(at);
                    end(&mut news, fate);
                }
                _ => news.standing = TaskStanding::Running,
            }
            news
        });
        async move { told.ok_or_else(|| ToolFailure::new("no such task")) }.boxed()
    }

    fn untold(&self) -> BoxFuture<'_, Vec<TaskNews>> {
        let mut state = held(&self.state);
        state.asked += 1;
        let is_second = state.asked > 1;
        let has_ended = |fate: Fate| {
            fate != Fate::Open && (is_second || !matches!(fate, Fate::FailedLater | Fate::MadeLast))
        };
        let (ended, open): (Vec<_>, Vec<_>) =
            std::mem::take(&mut state.untold).into_iter().partition(|(_, fate)| has_ended(*fate));
        state.untold = open.clone();
        let ended = ended.into_iter().map(|(mut news, fate)| {
            end(&mut news, fate);
            news
        });
        let news: Vec<_> = ended.chain(open.into_iter().map(|(news, _)| news)).collect();
        async move { news }.boxed()
    }

    fn cancel(&self, task: TaskId) {
        held(&self.state).cancelled.push(task);
    }
}

fn begun(order: &TaskOrder, number: usize) -> Result<TaskNews, ToolFailure> {
    let pieces = (1..=order.results)
        .map(|place| {
            let path = ProjectPath::parse(&format!("assets/task-{number}-{place}.png"))
                .map_err(|refused| ToolFailure::new(refused.to_string()))?;
            Ok(TaskPiece { path, state: PieceState::Awaited })
        })
        .collect::<Result<Vec<_>, ToolFailure>>()?;
    Ok(TaskNews {
        id: TaskId::fresh(),
        kind: order.kind.to_owned(),
        title: order.title.clone(),
        standing: TaskStanding::Queued,
        pieces,
        notice: None,
    })
}

fn end(news: &mut TaskNews, fate: Fate) {
    if matches!(fate, Fate::Failed | Fate::FailedLater) {
        let failure = Failure::new(ErrorKind::Overloaded, "the service has too much to do");
        news.standing = TaskStanding::Failed(failure.with_next_step("Try again"));
        return;
    }
    news.standing = TaskStanding::Succeeded;
    for (at, piece) in news.pieces.iter_mut().enumerate() {
        piece.state = if at == 0 && fate == Fate::MadeButTheFirst {
            PieceState::Failed("the filter of the service refused it".to_owned())
        } else {
            let content = piece
                .path
                .as_str()
                .bytes()
                .fold(1, |sum: usize, byte| sum.wrapping_mul(31) + usize::from(byte));
            let origin = ImageOrigin::Asset(piece.path.clone());
            PieceState::There(VisibleImage { origin, ..upload(piece.path.as_str(), content) })
        };
    }
}
