//! A provider on loopback: real TCP, real chunks, and a look at every request that a real one would take.
//!
//! [`ReplayServer`] plays [`Served`] answers in order. Before it plays one it checks the request: the key in its
//! header and nowhere else, every call answered once and at once, every reply echoed unchanged. A wrong
//! history gets the vendor's 400 and is remembered as a complaint.

mod check;
mod dialect;
mod served;

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

pub use check::{Asked, KEY};
pub use dialect::Spoken;
use served::Body;
pub use served::{Served, ServedTurn};

/// Nobody waits longer than this for anything: it only ends what hangs.
const HANG_GUARD: Duration = Duration::from_secs(30);

/// A server that plays prepared answers.
pub struct ReplayServer {
    address: String,
    shared: Arc<Shared>,
    closed: watch::Receiver<u32>,
    task: JoinHandle<()>,
}

struct Shared {
    dialect: Spoken,
    script: Mutex<Script>,
    closed: watch::Sender<u32>,
}

#[derive(Default)]
struct Script {
    answers: VecDeque<Served>,
    asked: Vec<Asked>,
    complaints: Vec<String>,
    /// The replies that ended, as they have to come back.
    echoes: Vec<Value>,
    /// Whether a stream was played of which nobody knows how it has to come back.
    is_history_unknown: bool,
}

impl Shared {
    fn script<T>(&self, look: impl FnOnce(&mut Script) -> T) -> T {
        look(&mut self.script.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ReplayServer {
    /// A server of this dialect that plays these answers.
    pub async fn playing(dialect: Spoken, answers: impl IntoIterator<Item = Served>) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = format!("http://{}", listener.local_addr()?);
        let script = Script { answers: answers.into_iter().collect(), ..Script::default() };
        let (sender, closed) = watch::channel(0);
        let shared = Arc::new(Shared { dialect, script: Mutex::new(script), closed: sender });
        let serving = Arc::clone(&shared);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let shared = Arc::clone(&serving);
                tokio::spawn(async move {
                    // A client that goes away in the middle is what some tests are about.
                    let _ = serve(stream, &shared).await;
                });
            }
        });
        Ok(Self { address, shared, closed, task })
    }

    /// Where it listens, such as `http://127.0.0.1:4711`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Every request so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.shared.script(|script| script.asked.clone())
    }

    /// What was wrong with the requests.
    pub fn complaints(&self) -> Vec<String> {
        self.shared.script(|script| script.complaints.clone())
    }

    /// How many answers were not asked for.
    pub fn left(&self) -> usize {
        self.shared.script(|script| script.answers.len())
    }

    /// Waits until a client closed a connection in the middle of an answer. Gives whether it did.
    pub async fn saw_close(&mut self) -> bool {
        let waited = tokio::time::timeout(HANG_GUARD, self.closed.wait_for(|count| *count > 0)).await;
        matches!(waited, Ok(Ok(_)))
    }
}

impl Drop for ReplayServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Serves one connection until it closes.
async fn serve(stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    while let Some(asked) = read_request(&mut reader).await? {
        let complaint = shared.script(|script| {
            let is_aside = script.answers.front().is_some_and(Served::is_aside);
            let echoes = (!script.is_history_unknown && !is_aside).then_some(&script.echoes);
            let complaint = check::complaint(shared.dialect, &asked, echoes);
            script.complaints.extend(complaint.clone());
            script.asked.push(asked.clone());
            complaint
        });
        let answer = match complaint {
            Some(complaint) => Served::status(400, &shared.dialect.refusal(&complaint)),
            None => shared
                .script(|script| script.answers.pop_front())
                .map(|answer| answer.to(&asked))
                .unwrap_or_else(|| Served::status(500, r#"{"error":{"message":"the script is over"}}"#)),
        };
        let echo = answer.echo(shared.dialect);
        let head = answer.head();
        // Owed before the end can have been read: the next request may be quicker than this task.
        shared.script(|script| {
            script.is_history_unknown |= answer.is_raw();
            script.echoes.extend(echo);
        });
        writer.write_all(head.as_bytes()).await?;
        match answer.body(shared.dialect) {
            Body::Whole(body) => writer.write_all(body.as_bytes()).await?,
            Body::Chunks { chunks, then_drop, then_hold } => {
                for chunk in chunks {
                    let sized = [format!("{:x}\r\n", chunk.len()).as_bytes(), &chunk, b"\r\n"].concat();
                    if writer.write_all(&sized).await.is_err() {
                        shared.closed.send_modify(|count| *count += 1);
                        return Ok(());
                    }
                    // Lets the other side read what was sent before more comes.
                    tokio::task::yield_now().await;
                }
                if then_hold {
                    let waited = tokio::time::timeout(HANG_GUARD, reader.fill_buf()).await;
                    if matches!(waited, Ok(Ok([]) | Err(_))) {
                        shared.closed.send_modify(|count| *count += 1);
                    }
                    return Ok(());
                }
                if then_drop {
                    return Ok(());
                }
                writer.write_all(b"0\r\n\r\n").await?;
            }
        }
    }
    Ok(())
}

async fn read_request(reader: &mut BufReader<tokio::net::tcp::OwnedReadHalf>) -> io::Result<Option<Asked>> {
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).await? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() && !head.is_empty() {
            break;
        }
        head.push(line.to_owned());
    }
    let mut asked = Asked::from_head(&head);
    let length = asked.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).await?;
    asked.body = serde_json::from_slice(&body).unwrap_or_default();
    asked.bytes = body;
    Ok(Some(asked))
}
