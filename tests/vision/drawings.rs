//! Drawings: what they may do, and what they may not.

use std::path::Path;

use facsimile_vision::Raster;

use crate::files::{RED, WHITE};

fn drawn(inside: &str) -> Result<Raster, &'static str> {
    let open = "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' \
                width='40' height='30'>";
    Raster::decode(format!("{open}{inside}</svg>").as_bytes()).map_err(|refused| refused.code())
}

fn color(raster: &Raster, x: u32, y: u32) -> [u8; 3] {
    raster.pixels().get_pixel(x, y).0
}

// S-40
#[test]
fn nothing_outside_the_drawing_is_loaded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/images");
    let file = folder.join("progressive.jpg").canonicalize().unwrap();
    let there = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    there.set_nonblocking(true).unwrap();
    let port = there.local_addr().unwrap().port();
    for address in [
        file.to_str().unwrap().to_owned(),
        format!("file://{}", file.display()),
        format!("http://127.0.0.1:{port}/a.png"),
        "//127.0.0.1/a.png".to_owned(),
        "../../../../../../etc/passwd".to_owned(),
    ] {
        let inside = format!(
            "<style>@import url('{address}'); @font-face {{ font-family: x; src: url('{address}') }}</style>\
             <image width='40' height='30' href='{address}'/><image width='40' height='30' xlink:href='{address}'/>\
             <use href='{address}#a'/><rect width='10' height='10' fill='red'/>"
        );
        let raster = drawn(&inside).unwrap();
        assert_eq!((color(&raster, 30, 20), color(&raster, 5, 5)), (WHITE, RED), "{address}");
    }
    assert!(there.accept().is_err(), "somebody asked");
}

#[test]
fn entities_of_other_files_stay_unknown() {
    let page = "<!DOCTYPE svg [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>\
                <svg xmlns='http://www.w3.org/2000/svg' width='4' height='4'><text>&x;</text></svg>";
    let found = Raster::decode(page.as_bytes()).map_err(|refused| refused.code());
    assert!(found.is_err_and(|code| code == "image_broken"));
}

#[test]
fn scripts_and_pages_inside_do_nothing() {
    let raster = drawn(
        "<script>document.documentElement.setAttribute('width', 999)</script>\
         <foreignObject width='40' height='30'><body xmlns='http://www.w3.org/1999/xhtml' bgcolor='red'/></foreignObject>\
         <rect width='10' height='10' fill='red' onload='alert(1)'/>",
    )
    .unwrap();
    assert_eq!((raster.width(), color(&raster, 5, 5), color(&raster, 30, 20)), (40, RED, WHITE));
}

#[test]
fn words_are_drawn_with_the_programs_fonts() {
    let inked = |words: &str, family: &str, weight: u32| {
        let raster = drawn(&format!(
            "<text y='22' font-size='20' font-family='{family}' font-weight='{weight}'>{words}</text>"
        ))
        .unwrap();
        raster.rgb().iter().map(|&channel| 255 - u32::from(channel)).sum::<u32>()
    };
    let (usual, bold, strange) =
        (inked("Hm", "sans-serif", 400), inked("Hm", "sans-serif", 700), inked("Hm", "Nowhere", 400));
    assert!(usual > 0 && bold > usual && strange > 0, "{usual} {bold} {strange}");
}

#[test]
fn the_size_is_the_drawings_own_within_limits() {
    let size = |attributes: &str| {
        let file =
            format!("<svg xmlns='http://www.w3.org/2000/svg' {attributes}><path d='M0 0h9v9z'/></svg>");
        Raster::decode(file.as_bytes())
            .map(|raster| (raster.width(), raster.height()))
            .map_err(|refused| refused.code())
    };
    assert_eq!(
        [
            size("width='120' height='80'"),
            size("viewBox='0 0 24 16'"),
            size("width='50mm' height='1in' viewBox='0 0 5 5'"),
            size("width='0.2' height='0.1'"),
            size("width='100000' height='50000'"),
            size("width='1e9' height='1'"),
            size("width='0' height='0'"),
            size("width='-5' height='5'"),
        ],
        [
            Ok((120, 80)),
            Ok((24, 16)),
            Ok((189, 96)),
            Ok((1, 1)),
            Ok((4000, 2000)),
            Ok((8192, 1)),
            Err("image_broken"),
            Err("image_broken"),
        ]
    );
}

#[test]
fn drawings_that_explode_are_refused() {
    let doubled: String =
        (1..=24).map(|n| format!("<g id='a{n}'><use href='#a{0}'/><use href='#a{0}'/></g>", n - 1)).collect();
    let layers = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='2800' height='2800'>{}<rect width='2800' height='2800'/>{}</svg>",
        "<g opacity='0.9'>".repeat(700),
        "</g>".repeat(700)
    );
    let nested = "<g>".repeat(60_000);
    let entities: String =
        (1..=9).map(|n| format!("<!ENTITY e{n} '{}'>", format!("&e{};", n - 1).repeat(10))).collect();
    let laughing = format!(
        "<!DOCTYPE svg [<!ENTITY e0 'ha'>{entities}]><svg xmlns='http://www.w3.org/2000/svg'><text>&e9;</text></svg>"
    );
    let wide = "<svg xmlns='http://www.w3.org/2000/svg' width='2800' height='2800'>\
                <g filter='url(#f)'><rect width='9' height='9'/></g><filter id='f' x='-9' y='-9' width='999' height='999'>\
                <feTurbulence numOctaves='9999' baseFrequency='0.01'/></filter></svg>";
    let markers = format!(
        "<marker id='m'>{}</marker><path marker-mid='url(#m)' d='M0 0{}'/>",
        "<path d='M0 0h1'/>".repeat(500),
        "L1 1".repeat(5000)
    );
    let found = [
        drawn(&format!("<g id='a0'><rect width='1' height='1'/></g>{doubled}")).map(|_| ()),
        Raster::decode(layers.as_bytes()).map(|_| ()).map_err(|refused| refused.code()),
        drawn(&nested).map(|_| ()),
        Raster::decode(laughing.as_bytes()).map(|_| ()).map_err(|refused| refused.code()),
        Raster::decode(wide.as_bytes()).map(|_| ()).map_err(|refused| refused.code()),
        drawn(&markers).map(|_| ()),
    ];
    let named = ["image_broken", "image_too_intricate"];
    assert!(found.iter().all(|found| found.is_err_and(|code| named.contains(&code))), "{found:?}");
}

// S-40, S-70
#[test]
fn markers_that_explode_are_refused() {
    let many = |what: &str, count: usize| what.repeat(count);
    let chain: String = (1..=4)
        .map(|n| {
            let next = format!("marker-mid='url(#m{})'", n + 1);
            format!("<marker id='m{n}'><path {next} d='M0 0{}'/></marker>", many("h1", 100))
        })
        .collect();
    let marked = "<marker id='m'><rect width='1' height='1'/><rect width='1' height='1'/></marker>";
    let long = format!("<path id='p' d='M0 0{}'/>", many("h1", 150_000));
    let bombs = [
        // Shapes without written corners.
        format!(
            "<marker id='m'>{}</marker><g marker-end='url(#m)'>{}</g>",
            many("<rect width='1' height='1'/>", 2000),
            many("<line x2='1'/>", 2000)
        ),
        // Markers in markers.
        format!(
            "{chain}<marker id='m5'><rect width='1' height='1'/></marker><path marker-mid='url(#m1)' d='M0 0h1h1'/>"
        ),
        // Asked for by the style of the element, by a style sheet, and where it is used.
        format!("{marked}<g style='marker:url(#m)'>{long}</g>"),
        format!("{marked}<style>path {{ marker-mid: url(\"#m\") }}</style>{long}"),
        format!("{marked}<defs>{long}</defs><g marker-mid='url(#m)'><use href='#p'/></g>"),
        format!(
            "{marked}<defs>{long}</defs><use xlink:href='#nothing' href='#p' style='marker-mid: url(#m)'/>"
        ),
        // One long path, read again and again.
        format!("<defs>{long}</defs>{}", many("<use href='#p'/>", 1000)),
        // Curves cut into more pieces than fit anywhere.
        "<path d='M0 0A1e60 1e60 0 1 1 1e60 1e60'/>".to_owned(),
        "<path d='M0 0A.0001 1e50 0 1 1 1e30 1'/>".to_owned(),
        many("<circle r='3e38'/>", 100),
        // Masks, clips, patterns and filters are made anew for what they are put on.
        format!(
            "<mask id='m'>{0}</mask><g fill='red'>{1}</g>",
            many("<rect/>", 2000),
            many("<rect mask='url(#m)'/>", 2000)
        ),
        format!(
            "<clipPath id='m' clipPathUnits='objectBoundingBox'>{0}</clipPath><style>.c {{ clip-path: url(#m) }}</style>{1}",
            many("<rect/>", 2000),
            many("<g class='c'/>", 2000)
        ),
        format!("<pattern id='m'>{0}</pattern><g fill='url(#m)'>{0}</g>", many("<rect/>", 2000)),
        format!(
            "<g id='a'>{0}</g><filter id='m'><feImage href='#a'/></filter>{1}",
            many("<rect/>", 2000),
            many("<g filter='url(#m)'/>", 2000)
        ),
        // Each rule is held against each element.
        format!("<style>{}</style>{}", many("a{x:y}", 10_000), many("<g/>", 10_000)),
    ];
    let found = bombs.map(|bomb| drawn(&bomb).map(|_| ()));
    assert_eq!(found, [Err("image_too_intricate"); 15]);
}

#[test]
fn usual_markers_are_drawn() {
    let arrow = "<marker id='m' markerWidth='9' markerHeight='9' refX='0' refY='2' markerUnits='userSpaceOnUse'>\
                 <g><path d='M0 0h4v4h-4z' fill='red'/></g></marker>";
    let long = format!("<path d='M0 0{}' fill='none'/>", "l.001 0a0 0 0 0 1 0 0".repeat(20_000));
    let raster = drawn(&format!(
        "{arrow}<style>.a {{ marker-end: url(#m) }}</style>{long}{}<path marker-end='url(#m)' d='M2 10h10' stroke='red'/>",
        "<line class='a' x2='1'/>".repeat(1000)
    ))
    .unwrap();
    assert_eq!((color(&raster, 14, 10), color(&raster, 20, 20)), (RED, WHITE));
}

#[test]
fn references_in_circles_end() {
    let found = [
        drawn("<g id='a'><use href='#b'/></g><g id='b'><use href='#a'/></g>").map(|_| ()),
        drawn(
            "<pattern id='p' width='9' height='9'><rect width='9' height='9' fill='url(#p)'/></pattern>\
               <rect width='9' height='9' fill='url(#p)'/>",
        )
        .map(|_| ()),
    ];
    assert_eq!(found, [Err("image_too_intricate"), Ok(())]);
}
