/// The line without the places of files. What follows a place on its line goes too: names of files can hold blanks,
/// so nobody can tell where one ends.
pub(super) fn without_paths(line: &str) -> String {
    match path_start(line) {
        Some(at) => format!("{}[place]", &line[..at]),
        None => line.to_owned(),
    }
}

fn path_start(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let is_drive = |at: usize| {
        bytes[at].is_ascii_alphabetic()
            && bytes.get(at + 1) == Some(&b':')
            && matches!(bytes.get(at + 2), Some(b'/' | b'\\'))
    };
    let begins_word = |at: usize| at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
    (0..bytes.len()).find(|&at| match bytes[at] {
        b'/' | b'\\' => true,
        b'~' => matches!(bytes.get(at + 1), Some(b'/' | b'\\')),
        _ => begins_word(at) && is_drive(at),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_go_with_all_that_follows_them() {
        let lines = [
            "WARN store: not saved error=/home/maker/My shop/a b.png cannot be read (denied)",
            "x C:\\Users\\maker\\a.png y",
            "x c:/a",
            "~/pictures",
            "see ratio 3:2, no place here",
        ];
        assert_eq!(
            lines.map(without_paths),
            [
                "WARN store: not saved error=[place]",
                "x [place]",
                "x [place]",
                "[place]",
                "see ratio 3:2, no place here"
            ]
        );
    }
}
