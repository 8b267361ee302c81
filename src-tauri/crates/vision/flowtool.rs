#![allow(clippy::unwrap_used, missing_docs)]
use facsimile_vision::raster::Raster;
use facsimile_vision::trace::{Tracer, Watch, emit::emit, facts::Facts};
use std::fs;
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    // flowtool FOLDER_OUT names...
    let out = &args[0];
    let tracer = Tracer::new().unwrap();
    for name in &args[1..] {
        let png = fs::read(format!("/work/shared/fixtures/pages/{name}@1280.png")).unwrap();
        let raster = Raster::decode(&png).unwrap();
        let at = format!("/tmp/flowtool/facts/{name}.json");
        let facts: Facts = match fs::read(&at) {
            Ok(bytes) => serde_json::from_slice(&bytes).unwrap(),
            Err(_) => {
                let f = tracer.trace(&raster, &mut Watch::silent()).unwrap();
                fs::write(&at, serde_json::to_vec(&f).unwrap()).unwrap();
                f
            }
        };
        let folder = format!("{out}/{name}");
        fs::create_dir_all(format!("{folder}/assets")).unwrap();
        let count = std::cell::Cell::new(0);
        let seen = std::cell::RefCell::new(std::collections::HashMap::new());
        let path = |bytes: &[u8], ext: &str| {
            seen.borrow_mut().entry(bytes.to_vec()).or_insert_with(|| { count.set(count.get() + 1); format!("assets/{}.{ext}", count.get()) }).clone()
        };
        let page = emit(&facts, &raster, &path);
        for a in &page.assets { fs::write(format!("{folder}/{}", a.path), &a.bytes).unwrap(); }
        fs::write(format!("{folder}/index.html"), &page.html).unwrap();
    }
}
