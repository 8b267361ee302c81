//! How many corners a shape has at most, the joints of the pieces its curves are cut into among them.

use resvg::usvg::roxmltree::Node;
use svgtypes::{PathParser, PathSegment};

// Arcs of smaller radii are lines.
const STRAIGHT: f64 = 1e-5;

/// The most corners a shape may have.
pub(super) fn most(shape: Node) -> u64 {
    let points = shape.attribute("points").map_or(0, |points| points.len() as u64 / 4);
    let sides = ["r", "rx", "ry"].into_iter().filter_map(|side| shape.attribute(side));
    let radius = sides.map(leading_number).fold(0.0, f64::max).min(f64::from(f32::MAX));
    // Four quarters and four sides.
    let round = pieces_of(radius).saturating_mul(4).saturating_add(8);
    points.max(shape.attribute("d").map_or(0, most_of_path)).max(round)
}

fn leading_number(length: &str) -> f64 {
    let length = length.trim();
    let end =
        length.find(|c: char| !matches!(c, '0'..='9' | '.' | '-' | '+' | 'e' | 'E')).unwrap_or(length.len());
    let number = length.get(..end).unwrap_or_default().trim_end_matches(['e', 'E']);
    number.parse().unwrap_or(0.0)
}

fn most_of_path(path: &str) -> u64 {
    // How far from the origin the pen may have come.
    let mut far = 0.0_f64;
    let mut corners = 0_u64;
    for segment in PathParser::from(path).map_while(Result::ok) {
        let (abs, x, y) = match segment {
            PathSegment::MoveTo { abs, x, y }
            | PathSegment::LineTo { abs, x, y }
            | PathSegment::CurveTo { abs, x, y, .. }
            | PathSegment::SmoothCurveTo { abs, x, y, .. }
            | PathSegment::Quadratic { abs, x, y, .. }
            | PathSegment::SmoothQuadratic { abs, x, y, .. }
            | PathSegment::EllipticalArc { abs, x, y, .. } => (abs, x, y),
            PathSegment::HorizontalLineTo { abs, x } => (abs, x, 0.0),
            PathSegment::VerticalLineTo { abs, y } => (abs, 0.0, y),
            PathSegment::ClosePath { .. } => (false, 0.0, 0.0),
        };
        let distance = x.abs() + y.abs();
        far = if abs { far.max(distance) } else { far + distance };
        corners = corners.saturating_add(match segment {
            PathSegment::EllipticalArc { rx, ry, .. } if rx.abs().min(ry.abs()) > STRAIGHT => {
                let (least, most) = (rx.abs().min(ry.abs()), rx.abs().max(ry.abs()));
                // Radii that do not reach from end to end grow until they do.
                pieces_of(most * (far / least).max(1.0))
            }
            _ => 1,
        });
    }
    corners
}

/// Pieces of a full turn at a tolerance of a tenth; their number grows with the sixth root of the radius.
fn pieces_of(radius: f64) -> u64 {
    // What is no number at all is too much.
    if radius.is_nan() { u64::MAX } else { (11.2 * radius).powf(1.0 / 6.0).max(4.0).ceil() as u64 }
}
