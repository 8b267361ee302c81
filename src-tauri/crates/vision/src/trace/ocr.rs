//! Reading text: where lines are (a detector over tiles) and what they say (a recogniser per line).

mod budget;
mod detect;
mod fold;
mod pieces;
mod read;
mod workers;

use std::sync::Arc;

use image::RgbImage;
use rten::{Model, RunOptions, ThreadPool, Value};
use rten_tensor::NdTensor;
use rten_tensor::prelude::*;
use serde::{Deserialize, Serialize};

use super::geometry::Rect;
use super::{Stage, TraceError, Watch};
use fold::Folded;

static DETECTOR: &[u8] = include_bytes!("../../models/ppocrv6-det-small-fp16.onnx");
static RECOGNISER: &[u8] = include_bytes!("../../models/ppocrv6-rec-small-latin-fp16.onnx");
static KEYS: &str = include_str!("../../models/ppocrv6-rec-small-latin.keys.txt");

// Below it the recogniser guesses at textures and icons.
const LEAST_LINE_CONFIDENCE: f32 = 0.55;

/// One character and where its middle is, in picture pixels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ReadChar {
    pub(crate) char: char,
    pub(crate) x: f32,
}

/// One line as the recogniser saw it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ReadLine {
    pub(crate) chars: Vec<ReadChar>,
    pub(crate) area: Rect,
    pub(crate) confidence: f32,
}

/// The two loaded models and the threads they run on.
pub(crate) struct Reader {
    detector: Model,
    recogniser: Model,
    keys: Vec<char>,
    pools: Vec<Arc<ThreadPool>>,
}

impl Reader {
    pub(crate) fn new(threads: usize) -> Result<Self, TraceError> {
        let load = |bytes| Model::load_static_slice(bytes).map_err(|source| TraceError::model(&source));
        let pools = (0..threads.max(1)).map(|_| Arc::new(ThreadPool::with_num_threads(1))).collect();
        let keys = KEYS.lines().filter_map(|line| line.chars().next()).collect();
        Ok(Self { detector: load(DETECTOR)?, recogniser: load(RECOGNISER)?, keys, pools })
    }

    /// All lines of a picture, top to bottom.
    pub(crate) fn lines(&self, picture: &RgbImage, watch: &mut Watch) -> Result<Vec<ReadLine>, TraceError> {
        let folded = Folded::of(picture);
        let (width, height) = folded.picture.dimensions();
        let tiles = detect::tiles(width, height);
        let maps = workers::each(&self.pools, &tiles, Stage::Finding, watch, |pool, tile| {
            detect::text_map(&self.detector, pool, &folded.picture, tile)
        })?;
        let areas = detect::line_areas(&tiles, &maps, width, height);
        drop(maps);
        let areas = areas.into_iter().map(|area| folded.unfolded(area)).collect();
        let areas = budget::legible(areas, picture.width(), picture.height());
        let lines = workers::each(&self.pools, &areas, Stage::Reading, watch, |pool, area| {
            read::line(&self.recogniser, pool, &self.keys, picture, *area)
        })?;
        Ok(lines.into_iter().flatten().filter(|line| line.confidence >= LEAST_LINE_CONFIDENCE).collect())
    }
}

/// A model's single output and its shape.
fn run(
    model: &Model,
    pool: &Arc<ThreadPool>,
    input: NdTensor<f32, 4>,
) -> Result<(Vec<usize>, Vec<f32>), TraceError> {
    let options = RunOptions::default().with_thread_pool(Some(Arc::clone(pool)));
    let output: Value =
        model.run_one(input.view().into(), Some(options)).map_err(|source| TraceError::model(&source))?;
    let output: rten_tensor::Tensor<f32> = output.try_into().map_err(|source| TraceError::model(&source))?;
    Ok((output.shape().to_vec(), output.into_data()))
}

/// Planes of blue, green and red from -1 to 1, padded with the middle value; what both models eat.
fn planes(picture: &RgbImage, width: usize, height: usize) -> NdTensor<f32, 4> {
    let area = width * height;
    let mut values = vec![0.0_f32; 3 * area];
    for (x, y, pixel) in picture.enumerate_pixels() {
        let at = y as usize * width + x as usize;
        let [r, g, b] = pixel.0;
        for (plane, channel) in [b, g, r].into_iter().enumerate() {
            if let Some(value) = values.get_mut(plane * area + at) {
                *value = f32::from(channel) / 127.5 - 1.0;
            }
        }
    }
    NdTensor::from_data([1, 3, height, width], values)
}
