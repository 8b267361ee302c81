//! Similarity of two strings by their longest common stretches (Ratcliff and Obershelp), with the rule that
//! characters too common in a long second string begin no stretch.

use std::collections::HashMap;
use std::ops::Range;

/// Places in texts that may be gone through by one comparer; usual pages take a hundredth. Letters that repeat each
/// other without end, on hundreds of lines, would take minutes.
const MOST_STEPS: usize = 200_000_000;
/// From this length on common characters begin no stretch.
const LONG: usize = 200;

/// Numbers for characters, shared by the strings that are compared.
#[derive(Default)]
pub(super) struct Alphabet(HashMap<char, u32>);

impl Alphabet {
    pub(super) fn text(&mut self, chars: &[char]) -> Text {
        let letters: Vec<u32> = chars
            .iter()
            .map(|char| {
                let next = self.0.len() as u32;
                *self.0.entry(*char).or_insert(next)
            })
            .collect();
        Text::of(letters)
    }
}

/// A string ready to be compared.
#[derive(Clone, Debug)]
pub(super) struct Text {
    letters: Vec<u32>,
    /// Positions by letter, rising; those of letter `n` are `places[starts[n]..starts[n + 1]]`.
    places: Vec<u32>,
    starts: Vec<u32>,
    counts: Vec<u32>,
}

impl Text {
    fn of(letters: Vec<u32>) -> Self {
        let known = letters.iter().max().map_or(0, |most| *most as usize + 1);
        let mut counts = vec![0_u32; known];
        for letter in &letters {
            counts[*letter as usize] += 1;
        }
        let most = if letters.len() >= LONG { (letters.len() / 100 + 1) as u32 } else { u32::MAX };
        let mut starts = vec![0_u32; known + 1];
        for (letter, count) in counts.iter().enumerate() {
            starts[letter + 1] = starts[letter] + if *count > most { 0 } else { *count };
        }
        let mut next = starts.clone();
        let mut places = vec![0_u32; starts[known] as usize];
        for (place, letter) in letters.iter().enumerate() {
            let letter = *letter as usize;
            if counts[letter] <= most {
                places[next[letter] as usize] = place as u32;
                next[letter] += 1;
            }
        }
        Self { letters, places, starts, counts }
    }

    fn places(&self, letter: u32) -> &[u32] {
        let letter = letter as usize;
        match (self.starts.get(letter), self.starts.get(letter + 1)) {
            (Some(from), Some(to)) => &self.places[*from as usize..*to as usize],
            _ => &[],
        }
    }

    pub(super) fn len(&self) -> usize {
        self.letters.len()
    }

    /// No similarity to `other` can be larger.
    pub(super) fn most_similarity(&self, other: &Self) -> f64 {
        let shared: u32 = self.counts.iter().zip(&other.counts).map(|(a, b)| *a.min(b)).sum();
        ratio(shared as usize, self.len() + other.len())
    }
}

/// Compares strings without asking for memory each time.
pub(super) struct Comparer {
    /// So many more places may be gone through.
    steps_left: usize,
    /// Lengths of the stretches that end just before a place, for the last row and the present one.
    last: Vec<u32>,
    row: Vec<u32>,
    touched_last: Vec<u32>,
    touched: Vec<u32>,
    open: Vec<(Range<usize>, Range<usize>)>,
}

impl Default for Comparer {
    fn default() -> Self {
        Self {
            steps_left: MOST_STEPS,
            last: Vec::new(),
            row: Vec::new(),
            touched_last: Vec::new(),
            touched: Vec::new(),
            open: Vec::new(),
        }
    }
}

impl Comparer {
    /// Twice the length of all common stretches over the sum of lengths. A comparer that went through too much gives
    /// what shared letters alone would allow.
    pub(super) fn similarity(&mut self, first: &Text, second: &Text) -> f64 {
        if first.letters == second.letters {
            return 1.0;
        }
        if self.steps_left == 0 {
            return first.most_similarity(second);
        }
        for lengths in [&mut self.last, &mut self.row] {
            lengths.clear();
            lengths.resize(second.len() + 1, 0);
        }
        self.open.clear();
        self.open.push((0..first.len(), 0..second.len()));
        let mut shared = 0;
        while let Some((a, b)) = self.open.pop() {
            let (at, on, len) = self.longest(first, second, a.clone(), b.clone());
            if len == 0 {
                continue;
            }
            shared += len;
            if a.start < at && b.start < on {
                self.open.push((a.start..at, b.start..on));
            }
            if at + len < a.end && on + len < b.end {
                self.open.push((at + len..a.end, on + len..b.end));
            }
        }
        ratio(shared, first.len() + second.len())
    }

    /// The first longest common stretch inside two ranges.
    fn longest(
        &mut self,
        first: &Text,
        second: &Text,
        a: Range<usize>,
        b: Range<usize>,
    ) -> (usize, usize, usize) {
        let (mut at, mut on, mut len) = (a.start, b.start, 0_usize);
        let mut steps = a.len();
        for i in a.clone() {
            let places = second.places(first.letters[i]);
            let from = places.partition_point(|place| (*place as usize) < b.start);
            for place in places[from..].iter().map(|place| *place as usize) {
                if place >= b.end {
                    break;
                }
                steps += 1;
                let stretch = self.last[place] + 1;
                self.row[place + 1] = stretch;
                self.touched.push(place as u32 + 1);
                let stretch = stretch as usize;
                if stretch > len {
                    (at, on, len) = (i + 1 - stretch, place + 1 - stretch, stretch);
                }
            }
            self.turn_row();
        }
        self.turn_row();
        self.steps_left = self.steps_left.saturating_sub(steps);
        let (ours, theirs) = (&first.letters, &second.letters);
        while at > a.start && on > b.start && ours[at - 1] == theirs[on - 1] {
            (at, on, len) = (at - 1, on - 1, len + 1);
        }
        while at + len < a.end && on + len < b.end && ours[at + len] == theirs[on + len] {
            len += 1;
        }
        (at, on, len)
    }

    /// The present row becomes the last one, and an empty one the present.
    fn turn_row(&mut self) {
        for place in self.touched_last.drain(..) {
            self.last[place as usize] = 0;
        }
        std::mem::swap(&mut self.last, &mut self.row);
        std::mem::swap(&mut self.touched_last, &mut self.touched);
    }
}

fn ratio(shared: usize, all: usize) -> f64 {
    if all == 0 { 1.0 } else { 2.0 * shared as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    // S-70
    #[test]
    fn a_comparer_that_went_through_too_much_gives_what_the_letters_allow() {
        let mut alphabet = Alphabet::default();
        let mut text = |first: &str, then: &str| {
            alphabet.text(&format!("{}{}", first.repeat(75), then.repeat(75)).chars().collect::<Vec<_>>())
        };
        let (first, second) = (text("a", "b"), text("b", "a"));
        let mut comparer = Comparer { steps_left: 40_000, ..Comparer::default() };
        let likenesses: Vec<f64> = (0..1000).map(|_| comparer.similarity(&first, &second)).collect();
        let exact = Comparer::default().similarity(&first, &second);
        let allowed = first.most_similarity(&second);
        assert!(exact < allowed, "{exact} {allowed}");
        assert_eq!((likenesses[0], likenesses[999], comparer.steps_left), (exact, allowed, 0));
        let steps = |likeness: f64| likenesses.iter().filter(|found| **found == likeness).count();
        assert_eq!(steps(exact) + steps(allowed), 1000);
    }
}
