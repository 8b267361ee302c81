//! CSS as its grammar sees it: what is no style, which blocks do not close, and what is referred to.

use cssparser::{
    AtRuleParser, CowRcStr, DeclarationParser, Delimiter, ParseError, Parser, ParserInput, ParserState,
    QualifiedRuleParser, RuleBodyItemParser, RuleBodyParser, StyleSheetParser, ToCss, Token,
};

use super::references::Reference;
use super::{Mistake, Read};

/// Stands behind the text: a block that is not closed swallows it.
const END: &str = "facsimile-end-of-sheet";
/// So much of a broken style is quoted.
const QUOTED_CHARS: usize = 60;
/// Blocks within blocks are read to this depth. Every level needs room on the stack, and no style goes that deep.
const DEEPEST: usize = 128;

/// What is wrong with a sheet whose first line is the one after `lines_before`, and what it refers to.
pub(super) fn read(css: &str, lines_before: u64) -> Read {
    let whole = format!("{css}\n{END}{{}}");
    let mut input = ParserInput::new(&whole);
    let mut parser = Parser::new(&mut input);
    let mut reader = Reader { lines_before, ..Reader::default() };
    let mut mistakes = Vec::new();
    for rule in StyleSheetParser::new(&mut parser, &mut reader) {
        if let Err((error, slice)) = rule {
            mistakes.push((u64::from(error.location.line), slice.to_owned()));
        }
    }
    for (line, slice) in mistakes {
        reader.no_style(line, &slice);
    }
    if let Some(line) = reader.too_deep {
        let what = format!("more than {DEEPEST} blocks lie in each other; what is further in was not read");
        reader.tell(line, what);
    }
    if !reader.has_ended {
        let what = "something opens in the rule of this line and is never closed: a bracket or a comment";
        reader.tell(reader.last_rule, what.to_owned());
    }
    reader.read
}

#[derive(Default)]
struct Reader {
    lines_before: u64,
    /// The lines in which the open blocks open.
    open: Vec<u64>,
    /// The line in which the rule opens that was begun last.
    last_rule: u64,
    has_ended: bool,
    /// The blocks of any kind around what is being read.
    depth: usize,
    /// The line of the first block that lies too deep to be read.
    too_deep: Option<u64>,
    read: Read,
}

type Failed<'i> = ParseError<'i, ()>;

impl Reader {
    fn tell(&mut self, line: u64, what: String) {
        self.read.mistakes.push(Mistake { line: self.lines_before + line + 1, what });
    }

    fn no_style(&mut self, line: u64, slice: &str) {
        let slice = slice.split_whitespace().collect::<Vec<_>>().join(" ");
        if slice.is_empty() || slice.contains(END) {
            return;
        }
        let quoted: String = slice.chars().take(QUOTED_CHARS).collect();
        self.tell(line, format!("{quoted:?} is no style"));
    }

    /// Takes every token there is, and gives their number without blanks and comments.
    fn take_all<'i>(&mut self, input: &mut Parser<'i, '_>) -> usize {
        let mut taken = 0;
        loop {
            input.skip_whitespace();
            let line = u64::from(input.current_source_location().line);
            let Ok(token) = input.next().cloned() else { return taken };
            taken += 1;
            match &token {
                Token::UnquotedUrl(address) => self.refer(line, address),
                Token::Function(name) if name.eq_ignore_ascii_case("url") => {
                    let address = input.parse_nested_block(|inner| {
                        Ok::<_, Failed<'i>>(inner.expect_string().map(|address| address.to_string())?)
                    });
                    if let Ok(address) = address {
                        self.refer(line, &address);
                    }
                }
                Token::Function(_)
                | Token::ParenthesisBlock
                | Token::SquareBracketBlock
                | Token::CurlyBracketBlock => self.take_block(line, input),
                Token::BadString(_) | Token::BadUrl(_) => {
                    self.tell(line, "a quotation mark or a bracket is missing".to_owned());
                }
                Token::CloseCurlyBracket | Token::CloseParenthesis | Token::CloseSquareBracket => {
                    self.tell(line, format!("{:?} closes nothing", token.to_css_string()));
                }
                _ => {}
            }
        }
    }

    /// Takes every token of the block that opens in this line, unless it lies too deep.
    fn take_block<'i>(&mut self, line: u64, input: &mut Parser<'i, '_>) {
        if self.goes_in(line) {
            let inner = input.parse_nested_block(|inner| Ok::<_, Failed<'i>>(self.take_all(inner)));
            // What is in it was looked at; a block cannot fail beyond that.
            let _ = inner;
            self.depth -= 1;
        }
    }

    /// Goes into the block that opens in this line, unless it lies too deep.
    fn goes_in(&mut self, line: u64) -> bool {
        let goes_in = self.depth < DEEPEST;
        if goes_in {
            self.depth += 1;
        } else {
            self.too_deep.get_or_insert(line);
        }
        goes_in
    }

    fn refer(&mut self, line: u64, address: &str) {
        let line = self.lines_before + line + 1;
        self.read.references.push(Reference { line, address: address.to_owned() });
    }

    fn block(&mut self, input: &mut Parser<'_, '_>) {
        let line = u64::from(input.current_source_location().line);
        if !self.goes_in(line) {
            // The parser passes over what lies in a block without going into it.
            while input.next().is_ok() {}
            return;
        }
        self.open.push(line);
        self.last_rule = line;
        let mut broken = Vec::new();
        for item in RuleBodyParser::new(input, self) {
            if let Err((error, slice)) = item {
                broken.push((u64::from(error.location.line), slice.to_owned()));
            }
        }
        for (line, slice) in broken {
            self.no_style(line, &slice);
        }
        self.open.pop();
        self.depth -= 1;
    }

    /// Looks whether a rule is the end of the sheet, and whether that comes too early or within something.
    fn look_for_end(&mut self, line: u64, prelude: &str) {
        let Some(before) = prelude.trim().strip_suffix(END) else { return };
        self.has_ended = true;
        self.no_style(line, before);
        if let Some(line) = self.open.last().copied() {
            self.tell(line, "the block that opens here is never closed".to_owned());
        }
    }
}

impl<'i> QualifiedRuleParser<'i> for Reader {
    type Prelude = ();
    type QualifiedRule = ();
    type Error = ();

    fn parse_prelude<'t>(&mut self, input: &mut Parser<'i, 't>) -> Result<(), Failed<'i>> {
        input.skip_whitespace();
        let (start, line) = (input.position(), u64::from(input.current_source_location().line));
        self.last_rule = line;
        let taken = self.take_all(input);
        self.look_for_end(line, input.slice_from(start));
        if taken > 0 { Ok(()) } else { Err(input.new_custom_error(())) }
    }

    fn parse_block<'t>(
        &mut self,
        (): (),
        _start: &ParserState,
        input: &mut Parser<'i, 't>,
    ) -> Result<(), Failed<'i>> {
        self.block(input);
        Ok(())
    }
}

impl<'i> AtRuleParser<'i> for Reader {
    type Prelude = ();
    type AtRule = ();
    type Error = ();

    fn parse_prelude<'t>(
        &mut self,
        name: CowRcStr<'i>,
        input: &mut Parser<'i, 't>,
    ) -> Result<(), Failed<'i>> {
        if name.eq_ignore_ascii_case("import") {
            let line = u64::from(input.current_source_location().line);
            let address = input.try_parse(|input| input.expect_string().map(|address| address.to_string()));
            if let Ok(address) = address {
                self.refer(line, &address);
            }
        }
        self.take_all(input);
        Ok(())
    }

    fn rule_without_block(&mut self, (): (), _start: &ParserState) -> Result<(), ()> {
        Ok(())
    }

    fn parse_block<'t>(
        &mut self,
        (): (),
        _start: &ParserState,
        input: &mut Parser<'i, 't>,
    ) -> Result<(), Failed<'i>> {
        self.block(input);
        Ok(())
    }
}

impl<'i> DeclarationParser<'i> for Reader {
    type Declaration = ();
    type Error = ();

    fn parse_value<'t>(
        &mut self,
        name: CowRcStr<'i>,
        input: &mut Parser<'i, 't>,
        start: &ParserState,
    ) -> Result<(), Failed<'i>> {
        let is_variable = name.starts_with("--");
        let before = (self.read.mistakes.len(), self.read.references.len());
        let taken = if is_variable {
            self.take_all(input)
        } else {
            input.parse_until_before(Delimiter::CurlyBracketBlock, |value| {
                Ok::<_, Failed<'i>>(self.take_all(value))
            })?
        };
        // A selector such as `a:hover` begins like a declaration; it is read again as one.
        if !input.is_exhausted() {
            self.read.mistakes.truncate(before.0);
            self.read.references.truncate(before.1);
            return Err(input.new_custom_error(()));
        }
        // A variable may be empty.
        if taken == 0 && !is_variable {
            self.tell(u64::from(start.source_location().line), format!("{:?} has no value", name.as_ref()));
        }
        Ok(())
    }
}

impl<'i> RuleBodyItemParser<'i, (), ()> for Reader {
    fn parse_declarations(&self) -> bool {
        true
    }

    fn parse_qualified(&self) -> bool {
        true
    }
}
