use super::{Shelf, body};

#[test]
fn every_answer_carries_the_same_guards() {
    let (source, run) = Shelf::of(&[("index.html", "<p>")]).source();
    for path in [format!("/page/{run}/0/index.html"), format!("/stream/{run}/0/stream.html"), "/".to_owned()]
    {
        let answer = source.respond(&path);
        assert_eq!(
            answer.headers(),
            [
                ("content-type", answer.mime),
                ("content-security-policy", answer.csp.as_str()),
                ("access-control-allow-origin", "*"),
                ("cache-control", "no-store"),
                ("x-content-type-options", "nosniff"),
                ("referrer-policy", "no-referrer"),
            ],
            "{path}"
        );
    }
}

#[test]
fn files_come_with_their_types_and_unchanged() {
    let types = [
        ("a.css", "text/css; charset=utf-8"),
        ("js/a.mjs", "text/javascript; charset=utf-8"),
        ("a.JS", "text/javascript; charset=utf-8"),
        ("a.json", "application/json; charset=utf-8"),
        ("a.svg", "image/svg+xml"),
        ("a.txt", "text/plain; charset=utf-8"),
        ("a.xhtml", "application/octet-stream"),
        ("a", "application/octet-stream"),
    ];
    let text = "\u{feff}<b>ü</b>";
    let (source, run) = Shelf::of(&types.map(|(path, _)| (path, text))).source();
    for area in ["page", "stream"] {
        for (path, mime) in types {
            let answer = source.respond(&format!("/{area}/{run}/0/{path}"));
            assert_eq!((answer.status, answer.mime, body(&answer)), (200, mime, text), "{path}");
        }
    }
}

#[test]
fn assets_come_by_the_start_of_their_hash() {
    let (source, run) = Shelf::of(&[]).source();
    for area in ["page", "stream"] {
        let answer = source.respond(&format!("/{area}/{run}/0/assets/0123456789abcdef.png"));
        assert_eq!((answer.status, answer.mime, body(&answer)), (200, "image/png", "pixels"));
    }
}

#[test]
fn whatever_is_not_there_is_a_small_plain_page() {
    let (source, run) = Shelf::of(&[("index.html", "<p>"), ("css/a.css", "p{}")]).source();
    let long = format!("/page/RUN/0/{}", "a/".repeat(40_000));
    let refused = [
        "",
        "/",
        "index.html",
        "//page/RUN/0/index.html",
        "/page",
        "/page/RUN",
        "/page/RUN/0",
        "/page/RUN/0/",
        "/Page/RUN/0/index.html",
        "/lib/index.html",
        "/page/RUN/1/index.html",
        "/page/RUN/00/index.html",
        "/page/RUN/+0/index.html",
        "/page/RUN/-1/index.html",
        "/page/RUN/256/index.html",
        "/page/RUN//index.html",
        "/page/UPPER/0/index.html",
        "/page/PLAIN/0/index.html",
        "/page/{RUN}/0/index.html",
        "/page/00000000-0000-0000-0000-000000000000/0/index.html",
        "/page/../page/RUN/0/index.html",
        "/page/RUN/0/missing.html",
        "/page/RUN/0/stream.html",
        "/stream/RUN/1/stream.html",
        "/stream/RUN/0/stream.html/",
        "/stream/RUN/0/./stream.html",
        "/page/RUN/0//index.html",
        "/page/RUN/0/./index.html",
        "/page/RUN/0/css//a.css",
        "/page/RUN/0/css/../index.html",
        "/page/RUN/0/../0/index.html",
        "/page/RUN/0/..%2f0/index.html",
        "/page/RUN/0/%2e%2e/0/index.html",
        "/page/RUN/0/css/%2E%2E/index.html",
        "/page/RUN/0/%252e%252e/index.html",
        "/page/RUN/0/css%2fa.css",
        "/page/RUN/0/css%5ca.css",
        "/page/RUN/0/css\\a.css",
        "/page/RUN/0/index%2ehtml",
        "/page/RUN/0/index.html%00",
        "/page/RUN/0/index.html%",
        "/page/RUN/0/index.html%f",
        "/page/RUN/0/%c0%ae%c0%ae/index.html",
        "/page/RUN/0/\u{ff0e}\u{ff0e}/index.html",
        "/page/RUN/0//etc/passwd",
        "/page/RUN/0/C:/index.html",
        "/page/RUN/0/file:///etc/passwd",
        "/page/RUN/0/index.html ",
        "/page/RUN/0/assets/0123456789abcdef",
        "/page/RUN/0/assets/0123456789abcdef.jpg",
        "/page/RUN/0/assets/0123456789abcdeF.png",
        "/page/RUN/0/assets/0123456789abcdef0.png",
        "/page/RUN/0/assets/%_%_%_%_%_%_%_%_.png",
        "/page/RUN/1/assets/0123456789abcdef.png",
        "/page/RUN/0/x/assets/0123456789abcdef.png",
        long.as_str(),
    ];
    let id = run.to_string();
    let answers = refused.map(|path| {
        let path = path.replace("RUN", &id).replace("UPPER", &id.to_uppercase());
        let answer = source.respond(&path.replace("PLAIN", &id.replace('-', "")));
        (answer.status, answer.mime, body(&answer).to_owned())
    });
    let nothing = (404, "text/plain; charset=utf-8", "There is nothing at this address.".to_owned());
    for (path, answer) in refused.iter().zip(answers) {
        assert_eq!(answer, nothing, "{}", &path[..path.len().min(80)]);
    }
}
