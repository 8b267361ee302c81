//! The screenshots that come with the program.

/// A bundled screenshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// Names it.
    pub id: &'static str,
    /// For people.
    pub title: &'static str,
    /// The file's name.
    pub file_name: &'static str,
    /// The PNG.
    pub png: &'static [u8],
}

/// All of them, in the order they are offered.
pub const SAMPLES: [Sample; 3] = [
    Sample {
        id: "shop",
        title: "Pottery shop",
        file_name: "shop.png",
        png: include_bytes!("../samples/shop.png"),
    },
    Sample {
        id: "dashboard",
        title: "Energy dashboard",
        file_name: "dashboard.png",
        png: include_bytes!("../samples/dashboard.png"),
    },
    Sample {
        id: "tide",
        title: "Tide times",
        file_name: "tide.png",
        png: include_bytes!("../samples/tide.png"),
    },
];

/// A sample by its id.
pub fn sample(id: &str) -> Option<&'static Sample> {
    SAMPLES.iter().find(|sample| sample.id == id)
}
