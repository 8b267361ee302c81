//! Known defects of pages: what is done to which element, how strongly, and what must be found.

/// What a defect is done to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// One line of text.
    Text,
    /// A box with a fill, with what it holds.
    Filled,
    /// A box with a border, with what it holds.
    Bordered,
    /// A picture.
    Picture,
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Deed {
    /// It gets declarations of CSS; `$` stands for the strength.
    Style(&'static str),
    /// It becomes as bold as can be, with strokes that are thicker by as many pixels: letters as wide as before, which a
    /// page places where they were.
    Thicken,
    /// Its letters become as many times as large.
    Scale,
    /// A share of its letters becomes others.
    Reword,
    /// As many as the strength says are taken out, it first.
    Remove,
    /// As many as the strength says are put in above everything else; the first one is to be named.
    Insert,
    /// Its picture is mixed with another one, by a share.
    Blend,
    /// Its colour is mixed with red, by a share.
    Redden,
}

/// A kind of defect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Defect {
    /// Its name.
    pub name: &'static str,
    /// What it is done to.
    pub target: Target,
    /// What is done.
    pub deed: Deed,
    /// Weak, middling, strong.
    pub strengths: [f64; 3],
    /// The kind of reason that names it.
    pub kind: &'static str,
}

const fn defect(
    name: &'static str,
    target: Target,
    deed: Deed,
    strengths: [f64; 3],
    kind: &'static str,
) -> Defect {
    Defect { name, target, deed, strengths, kind }
}

/// Every kind there is.
pub const DEFECTS: [Defect; 21] = [
    defect(
        "text-right",
        Target::Text,
        Deed::Style("position: relative; left: $px"),
        [4.0, 10.0, 24.0],
        "moved",
    ),
    defect("text-down", Target::Text, Deed::Style("position: relative; top: $px"), [4.0, 8.0, 16.0], "moved"),
    defect("text-red", Target::Text, Deed::Redden, [0.3, 0.6, 1.0], "recoloured"),
    defect("text-reworded", Target::Text, Deed::Reword, [0.1, 0.25, 0.4], "reworded"),
    defect("text-larger", Target::Text, Deed::Scale, [1.1, 1.25, 1.5], "wrong-size"),
    defect("text-smaller", Target::Text, Deed::Scale, [0.9, 0.8, 0.65], "wrong-size"),
    defect("text-bolder", Target::Text, Deed::Thicken, [0.0, 0.5, 1.0], "wrong-weight"),
    defect(
        "text-lighter",
        Target::Text,
        Deed::Style("font-weight: $"),
        [300.0, 200.0, 100.0],
        "wrong-weight",
    ),
    defect("text-missing", Target::Text, Deed::Remove, [1.0, 2.0, 3.0], "missing"),
    defect("text-extra", Target::Text, Deed::Insert, [1.0, 2.0, 3.0], "extra"),
    defect(
        "box-down",
        Target::Filled,
        Deed::Style("position: relative; top: $px"),
        [4.0, 12.0, 30.0],
        "moved",
    ),
    defect(
        "box-right",
        Target::Filled,
        Deed::Style("position: relative; left: $px"),
        [4.0, 12.0, 30.0],
        "moved",
    ),
    defect("box-red", Target::Filled, Deed::Redden, [0.1, 0.3, 0.7], "recoloured"),
    defect("border-red", Target::Bordered, Deed::Redden, [0.3, 0.6, 1.0], "recoloured"),
    defect("box-wider", Target::Filled, Deed::Style("padding-right: $px"), [6.0, 16.0, 40.0], "resized"),
    defect("box-taller", Target::Filled, Deed::Style("padding-bottom: $px"), [6.0, 16.0, 40.0], "resized"),
    defect("box-missing", Target::Filled, Deed::Remove, [1.0, 2.0, 3.0], "missing"),
    defect("box-extra", Target::Filled, Deed::Insert, [1.0, 2.0, 3.0], "extra"),
    defect("picture-other", Target::Picture, Deed::Blend, [0.3, 0.6, 1.0], "image-differs"),
    defect(
        "picture-right",
        Target::Picture,
        Deed::Style("position: relative; left: $px"),
        [4.0, 12.0, 30.0],
        "moved",
    ),
    defect("picture-missing", Target::Picture, Deed::Remove, [1.0, 2.0, 3.0], "missing"),
];

/// A defect done to a page at its three strengths, weakest first, and what was found.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The page and the defect.
    pub name: String,
    /// The scores.
    pub scores: [f64; 3],
    /// For each strength, what may be named first and what was: element and kind.
    pub named: [(Vec<Named>, Option<Named>); 3],
}

/// An element and what is wrong with it.
pub type Named = (String, String);

/// How trials went.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// How often the first reason was the right one.
    pub right: usize,
    /// How often it could have been.
    pub asked: usize,
    /// What was named instead.
    pub wrong: Vec<String>,
    /// Trials in which a stronger defect scored higher.
    pub rising: Vec<String>,
    /// By how many points a stronger defect scored higher at most.
    pub most_rise: f64,
    /// The mean score at each strength, weakest first.
    pub means: [f64; 3],
}

impl Verdict {
    /// Whether any defect costs points, and a stronger one more, on average over the pages.
    pub fn falls(&self) -> bool {
        let [weak, middling, strong] = self.means;
        100.0 > weak && weak > middling && middling > strong
    }

    /// Share of right first reasons.
    pub fn share(&self) -> f64 {
        self.right as f64 / self.asked.max(1) as f64
    }
}

/// How trials went, all taken together.
pub fn verdict(trials: &[Trial]) -> Verdict {
    let mut verdict = Verdict::default();
    for trial in trials {
        for (strength, (wanted, found)) in trial.named.iter().enumerate() {
            verdict.asked += 1;
            if found.as_ref().is_some_and(|found| wanted.contains(found)) {
                verdict.right += 1;
            } else {
                verdict.wrong.push(format!("{} at {strength}: {wanted:?}, not {found:?}", trial.name));
            }
        }
        for (mean, score) in verdict.means.iter_mut().zip(trial.scores) {
            *mean += score / trials.len() as f64;
        }
        let [weak, middling, strong] = trial.scores;
        verdict.most_rise = verdict.most_rise.max(weak - 100.0).max(middling - weak).max(strong - middling);
        if !(100.0 > weak && weak >= middling && middling >= strong) {
            verdict.rising.push(format!("{}: {:?}", trial.name, trial.scores));
        }
    }
    verdict
}
