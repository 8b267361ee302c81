//! A window with nothing in it: what the platform alone costs. The bench of the window holds the program against it.

fn main() -> tauri::Result<()> {
    tauri::Builder::default().run(tauri::generate_context!("tests/desktop/bench/bare/tauri.conf.json"))
}
