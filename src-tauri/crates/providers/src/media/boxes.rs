//! Things found in a picture by a model that sees: what it answers, read as boxes in thousandths.

use facsimile_agent::{
    Failure, ImageBytes, OutputBudget, ProviderSession, StreamEvent, ToolChoice, UserMessage,
};
use futures::StreamExt;
use serde_json::Value;

/// What the model is told it is.
pub const INSTRUCTIONS: &str = "You find things in a picture. Reply with JSON only: an array with one entry per \
    description, in the order given: [ymin, xmin, ymax, xmax] in thousandths of the picture's height and width, \
    or null where the thing is not there.";

/// A box as `[ymin, xmin, ymax, xmax]` in thousandths.
pub type Thousandths = [u16; 4];

/// Asks a model for the boxes of descriptions, in their order; `None` where it sees none. The session is a fresh one
/// whose system prompt is [`INSTRUCTIONS`].
pub async fn find(
    session: &mut dyn ProviderSession,
    picture: ImageBytes,
    descriptions: &[String],
) -> Result<Vec<Option<Thousandths>>, Failure> {
    let lines = descriptions.iter().zip(1..).map(|(description, number)| format!("{number}. {description}"));
    let message = UserMessage { images: vec![picture], text: lines.collect::<Vec<_>>().join("\n") };
    session.append_user(message).map_err(|error| error.failure)?;
    let mut turn = session.stream_turn(ToolChoice::Auto, OutputBudget::Usual);
    let mut text = String::new();
    while let Some(event) = turn.next().await {
        if let StreamEvent::TurnEnded(turn) = event.map_err(|error| error.failure)? {
            text = turn.text;
        }
    }
    Ok(boxes_in(&text, descriptions.len()))
}

/// Reads a reply: whatever is no sound box is none.
fn boxes_in(reply: &str, count: usize) -> Vec<Option<Thousandths>> {
    let list = reply.find('[').zip(reply.rfind(']')).and_then(|(start, end)| reply.get(start..=end));
    let list: Vec<Value> = list.and_then(|list| serde_json::from_str(list).ok()).unwrap_or_default();
    let mut boxes: Vec<_> = list.iter().map(sound_box).collect();
    boxes.resize(count, None);
    boxes
}

fn sound_box(value: &Value) -> Option<Thousandths> {
    let edges =
        value.as_array()?.iter().map(|edge| Some(edge.as_f64()?.round())).collect::<Option<Vec<_>>>()?;
    let [top, left, bottom, right] = edges.try_into().ok()?;
    let is_inside = |edge: f64| (0.0..=1000.0).contains(&edge);
    let is_sound = [top, left, bottom, right].into_iter().all(is_inside) && top < bottom && left < right;
    is_sound.then(|| [top, left, bottom, right].map(|edge| edge as u16))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read_in_order_and_what_is_no_box_is_none() {
        let reply = "```json\n[[10, 20.4, 300, 400], null, [5, 5, 5, 9], [0, 0, 1001, 9], \"x\"]\n```";
        let expected = vec![Some([10, 20, 300, 400]), None, None, None, None, None];
        assert_eq!(boxes_in(reply, 6), expected);
        assert_eq!(boxes_in("I see nothing", 2), vec![None, None]);
        assert_eq!(boxes_in("[[1,2,3,4],[1,2,3,4]]", 1), vec![Some([1, 2, 3, 4])]);
    }
}
