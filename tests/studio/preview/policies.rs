use facsimile_studio::preview::csp;

use super::{Shelf, between, body};

#[test]
fn policies_are_those_that_were_proved() {
    assert_eq!(
        [csp::streaming("R"), csp::finished(), csp::plain_file()],
        [
            include_str!("../../fixtures/policies/streaming.txt").trim_end(),
            include_str!("../../fixtures/policies/finished.txt").trim_end(),
            include_str!("../../fixtures/policies/plain-file.txt").trim_end(),
        ]
    );
}

#[test]
fn each_kind_of_answer_has_its_policy() {
    let shelf = Shelf::of(&[("index.html", "<p>"), ("drawing.svg", "<svg/>"), ("a.css", "p{}")]);
    let (source, run) = shelf.source();
    let policy = |path: &str| {
        let csp = source.respond(&path.replace("RUN", &run.to_string())).csp;
        match csp.split_once("'nonce-").map(|(_, rest)| rest.split_once('\'').unwrap().0.to_owned()) {
            Some(nonce) if csp == csp::streaming(&nonce) => "streaming",
            None if csp == csp::finished() => "finished",
            None if csp == csp::plain_file() => "plain file",
            _ => "unknown",
        }
    };
    assert_eq!(
        [
            "/page/RUN/0/index.html?v=1&y=0",
            "/page/RUN/0/index.html?v=1&y=0&scripts=off",
            "/stream/RUN/0/stream.html",
            "/stream/RUN/0/index.html",
            "/page/RUN/0/drawing.svg",
            "/stream/RUN/0/a.css",
            "/page/RUN/0/assets/0123456789abcdef.png",
            "/page/RUN/0/missing.html",
            "nonsense",
        ]
        .map(policy),
        [
            "finished",
            "streaming",
            "streaming",
            "streaming",
            "plain file",
            "plain file",
            "plain file",
            "plain file",
            "plain file"
        ]
    );
}

#[test]
fn every_load_has_its_own_nonce_and_only_our_script_carries_it() {
    let page = "<script nonce=\"guess\">alert(1)</script><p onclick=x nonce=R><svg><script NONCE='a' nonce=b>1</script>";
    let (source, run) = Shelf::of(&[("index.html", page)]).source();
    let mut nonces = Vec::new();
    for address in
        ["stream/RUN/0/stream.html", "page/RUN/0/index.html?scripts=off", "stream/RUN/0/index.html"]
    {
        for _ in 0..2 {
            let answer = source.respond(&format!("/{}", address.replace("RUN", &run.to_string())));
            let nonce = between(&answer.csp, "'nonce-", "'").to_owned();
            assert_eq!((nonce.len(), body(&answer).matches(&nonce).count()), (32, 1), "{address}");
            assert_eq!(body(&answer).to_lowercase().matches("nonce=").count(), 1, "{address}");
            nonces.push(nonce);
        }
    }
    nonces.sort();
    nonces.dedup();
    assert_eq!(nonces.len(), 6);
}

#[test]
fn a_finished_page_learns_neither_nonce_nor_mark() {
    let (source, run) = Shelf::of(&[("index.html", "<p>")]).source();
    let frame = source.respond(&format!("/stream/{run}/0/stream.html"));
    let page = source.respond(&format!("/page/{run}/0/index.html"));
    let mark = between(body(&frame), "data-fx-mark=\"", "\"");
    assert_eq!((mark.len(), body(&page).contains(mark), body(&page).contains(" nonce=")), (32, false, false));
}
