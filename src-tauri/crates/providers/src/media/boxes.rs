//! Things found in a picture by a model that sees: what it answers, read as boxes in thousandths.

use facsimile_agent::{Failure, ImageBytes, ProviderSession, SpendCap, UserMessage, question};
use serde_json::Value;

/// What the model is told it is.
pub const INSTRUCTIONS: &str = "You find things in a picture. Reply with JSON only: an array with one entry per \
    description, in the order given: [ymin, xmin, ymax, xmax] in thousandths of the picture's height and width, \
    or null where the thing is not there.";

/// A box as `[ymin, xmin, ymax, xmax]` in thousandths.
pub type Thousandths = [u16; 4];

/// Asks a model for the boxes of descriptions, in their order; `None` where it sees none. The session is a fresh one
/// whose system prompt is [`INSTRUCTIONS`]. What is said is paid of the cap, also where nobody waits for its end.
pub async fn find(
    session: &mut dyn ProviderSession,
    picture: ImageBytes,
    descriptions: &[String],
    cap: &SpendCap,
) -> Result<Vec<Option<Thousandths>>, Failure> {
    let lines = descriptions.iter().zip(1..).map(|(description, number)| format!("{number}. {description}"));
    let message = UserMessage { images: vec![picture], text: lines.collect::<Vec<_>>().join("\n") };
    let answer = question::answer(session, message, cap).await?;
    Ok(boxes_in(&answer.text, descriptions.len()))
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
    use facsimile_agent::ErrorKind;
    use facsimile_testkit::{Reply, ScriptedSession, says};

    use super::*;

    /// A session at a dollar per million tokens, and the picture it is asked about.
    fn asked(reply: Reply) -> (ScriptedSession, ImageBytes) {
        let session = ScriptedSession::new([reply]).priced((500_000, 100), (1.0, 1.0));
        let picture = ImageBytes { mime: "image/png", bytes: [1].into(), label: "image 1".to_owned() };
        (session, picture)
    }

    #[tokio::test]
    async fn what_nobody_counted_is_settled_from_the_estimate_also_where_nobody_waits_for_it() {
        let mut settled = Vec::new();
        for reply in [says("[[1, 2, 3, 4]]"), says("[[1, 2, 3, 4]").hanging()] {
            let (cap, (mut session, picture)) = (SpendCap::of_usd(1.0), asked(reply));
            let wanted = ["a lamp".to_owned()];
            let mut finding = Box::pin(find(&mut session, picture, &wanted, &cap));
            let was_answered = futures::poll!(&mut finding).is_ready();
            drop(finding);
            settled.push((was_answered, (cap.settled_usd() * 100.0).round(), cap.reserved_usd()));
        }
        assert_eq!(settled, [(true, 50.0, 0.0), (false, 50.0, 0.0)]);
    }

    #[tokio::test]
    async fn an_answer_that_crosses_the_cap_is_not_read_to_its_end() {
        let (cap, (mut session, picture)) = (SpendCap::of_usd(0.6), asked(says(&"x".repeat(600_000))));
        let refused = find(&mut session, picture, &["a lamp".to_owned()], &cap).await.unwrap_err();
        assert_eq!((refused.kind, cap.reserved_usd()), (ErrorKind::NoCredit, 0.0));
    }

    #[test]
    fn replies_are_read_in_order_and_what_is_no_box_is_none() {
        let reply = "```json\n[[10, 20.4, 300, 400], null, [5, 5, 5, 9], [0, 0, 1001, 9], \"x\"]\n```";
        let expected = vec![Some([10, 20, 300, 400]), None, None, None, None, None];
        assert_eq!(boxes_in(reply, 6), expected);
        assert_eq!(boxes_in("I see nothing", 2), vec![None, None]);
        assert_eq!(boxes_in("[[1,2,3,4],[1,2,3,4]]", 1), vec![Some([1, 2, 3, 4])]);
    }
}
