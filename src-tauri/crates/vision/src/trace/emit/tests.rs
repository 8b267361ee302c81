mod drawn;

use crate::trace::facts::TextFact;
use drawn::Drawn;

fn header() -> Drawn {
    Drawn::page(1000, 600)
        .filled([0.0, 0.0, 1000.0, 60.0], [240; 3])
        .text(60.0, 20.0, "Facsimile")
        .text(700.0, 20.0, "Home")
        .text(760.0, 20.0, "Prices")
        .text(836.0, 20.0, "Contact us")
        .text(60.0, 100.0, "Hello")
        .text(60.0, 400.0, "Bye")
}

fn cards() -> Drawn {
    (0..3).fold(Drawn::page(1000, 400).text(60.0, 20.0, "Products"), |page, at| {
        let x = 60.0 + 300.0 * at as f32;
        page.outlined([x, 80.0, 280.0, 200.0]).text(x + 21.0, 101.0, "A thing").text(
            x + 21.0,
            141.0,
            "Good for many uses",
        )
    })
}

fn form() -> Drawn {
    Drawn::page(600, 400)
        .outlined([100.0, 40.0, 400.0, 240.0])
        .text(121.0, 60.0, "Your name")
        .outlined([121.0, 84.0, 358.0, 40.0])
        .text(134.0, 94.0, "Ada")
        .look(|text| text.color = [150; 3])
        .text(121.0, 140.0, "Your place")
        .outlined([121.0, 164.0, 358.0, 40.0])
        .filled([121.0, 224.0, 100.0, 40.0], [0, 0, 200])
        .text(151.0, 234.0, "Send")
        .look(|text| text.color = [255; 3])
}

fn rules(html: &str) -> Vec<&str> {
    html.lines().map(str::trim).filter(|line| line.starts_with('.')).collect()
}

#[test]
fn header_becomes_a_row_with_a_list_of_links() {
    assert_eq!(
        header().body(),
        "<div class=\"page\">\
         <header class=\"header\">\
         <p class=\"text\">Facsimile</p>\
         <nav><ul class=\"list\">\
         <li><a class=\"text\">Home</a></li>\
         <li><a class=\"text\">Prices</a></li>\
         <li><a class=\"text\">Contact us</a></li>\
         </ul></nav>\
         </header>\
         <main class=\"main\"><p class=\"text\">Hello</p><p class=\"text\">Bye</p></main>\
         </div>"
    );
}

#[test]
fn equal_cards_become_a_grid_with_one_class() {
    let card =
        "<div class=\"card\"><p class=\"text\">A thing</p><p class=\"text\">Good for many uses</p></div>";
    assert_eq!(
        cards().body(),
        format!(
            "<div class=\"page\"><p class=\"text\">Products</p><div class=\"grid\">{}</div></div>",
            card.repeat(3)
        )
    );
}

#[test]
fn form_has_labels_inputs_and_a_button() {
    assert_eq!(
        form().body(),
        "<div class=\"page\"><div class=\"card\">\
         <label class=\"label\">Your name</label>\
         <input class=\"field\" placeholder=\"Ada\">\
         <label class=\"label-2\">Your place</label>\
         <input class=\"field-2\">\
         <button class=\"button\">Send</button>\
         </div></div>"
    );
}

#[test]
fn lines_that_run_over_are_one_paragraph() {
    let page = Drawn::page(600, 200)
        .text(50.0, 40.0, "A paragraph runs on until its")
        .text(50.0, 64.0, "words do not fit into the line")
        .text(50.0, 88.0, "any more.");
    assert_eq!(
        page.body(),
        "<div class=\"page\"><p class=\"text\">A paragraph runs on until its words do not fit into the line \
         any more.</p></div>"
    );
}

#[test]
fn lines_behind_marks_stay_a_list() {
    let page = (0..3).fold(Drawn::page(600, 400).text(60.0, 20.0, "Reasons"), |page, at| {
        let y = 60.0 + 30.0 * at as f32;
        page.image([60.0, y + 2.0, 16.0, 16.0]).text(86.0, y, "It is very good at this")
    });
    let item = "<li><div class=\"row\"><img src=\"a.png\" alt=\"\" width=\"16\" height=\"16\">\
                <p class=\"text\">It is very good at this</p></div></li>";
    let body = page.body();
    assert!(body.contains(&format!("<ul class=\"list\">{}</ul>", item.repeat(3))), "{body}");
}

#[test]
fn column_at_the_side_is_navigation_that_comes_last_on_narrow_screens() {
    let page = (0..4).fold(
        Drawn::page(1000, 800)
            .filled([0.0, 0.0, 240.0, 800.0], [40; 3])
            .outlined([300.0, 40.0, 660.0, 700.0]),
        |page, at| page.text(30.0, 40.0 + 40.0 * at as f32, "A chapter"),
    );
    let html = page.text(340.0, 80.0, "The text of the chapter").text(340.0, 200.0, "And more of it").html();
    assert!(html.contains("<aside class=\"aside\">") && html.contains("<nav"), "{html}");
    assert!(rules(&html).contains(&".aside { order: 1; }"), "{html}");
}

#[test]
fn hairlines_along_a_box_are_its_borders() {
    let page = Drawn::page(400, 200)
        .filled([100.0, 50.0, 200.0, 40.0], [250; 3])
        .filled([104.0, 49.0, 192.0, 1.0], [200; 3])
        .filled([104.0, 90.0, 192.0, 1.0], [200; 3])
        .filled([99.0, 54.0, 1.0, 32.0], [200; 3])
        .filled([300.0, 54.0, 1.0, 32.0], [200; 3]);
    let html = page.html();
    assert_eq!(html.matches("<div").count() + html.matches("<input").count(), 2, "{html}");
    assert!(html.contains("border: 1px solid #c8c8c8; border-radius: 5px;"), "{html}");
}

#[test]
fn nothing_is_wider_than_a_narrow_screen() {
    let html = cards().html();
    assert!(html.contains("* { box-sizing: border-box; margin: 0; padding: 0; max-width: 100%; }"));
    let narrow = html.split("@media (max-width: 700px) {").nth(1).unwrap();
    assert!(narrow.contains(".grid { grid-template-columns: minmax(0, 1fr); }"), "{narrow}");
}

#[test]
fn page_is_not_narrow_at_its_own_width() {
    let page = |width: f32| {
        let card = Drawn::page(width as u32, 400).outlined([10.0, 80.0, width - 20.0, 200.0]);
        card.text(31.0, 101.0, "A thing").text(31.0, 141.0, "Good for many uses").html()
    };
    let narrow = [390.0, 700.0, 1280.0].map(|width| {
        page(width)
            .lines()
            .find_map(|line| line.strip_prefix("@media ").map(str::to_owned))
            .unwrap_or_default()
    });
    assert_eq!(narrow, ["(max-width: 389px) {", "(max-width: 699px) {", "(max-width: 700px) {"]);
}

#[test]
fn picture_behind_words_is_named_by_the_page() {
    let page = Drawn::page(800, 400).image([0.0, 0.0, 800.0, 200.0]).text(60.0, 80.0, "Over a picture");
    let html = page.text(60.0, 300.0, "Below it").html();
    assert!(html.contains("background: url(a.png) center / cover"), "{html}");
}

#[test]
fn boxes_inside_each_other_end_in_a_flat_page() {
    let page = (0..2_000).fold(Drawn::page(10_000, 20), |page, at| {
        let at = at as f32;
        page.filled([at, 0.0, 10_000.0 - 2.0 * at, 20.0], [at as u8; 3])
    });
    let html = page.html();
    let depth = html.lines().map(|line| line.len() - line.trim_start().len()).max().unwrap() / 2;
    assert_eq!(html.matches("<div").count() + html.matches("<section").count(), 2_001);
    assert!(depth <= 110, "{depth} levels");
}

#[test]
fn heap_of_overlapping_things_keeps_them_all() {
    let page = (0..900).fold(Drawn::page(2_000, 1_000), |page, at| {
        let (x, y) = ((at * 37 % 900) as f32, (at * 53 % 500) as f32);
        page.filled([x, y, 300.0 + (at % 7) as f32, 200.0 + (at % 11) as f32], [at as u8; 3])
    });
    let html = page.html();
    assert!(html.matches("<div").count() + html.matches("<section").count() > 900);
}

#[test]
fn rows_of_like_columns_become_a_table() {
    let page = (0..4).fold(Drawn::page(800, 400), |page, at| {
        let y = 40.0 + 40.0 * at as f32;
        let page = page.filled([40.0, y + 30.0, 720.0, 1.0], [200; 3]);
        let words = if at == 0 { ["Name", "Place", "Price"] } else { ["Harbour", "Gull Haven", "12.50"] };
        words.iter().enumerate().fold(page, |page, (column, word)| {
            let weight = if at == 0 { 700 } else { 400 };
            page.text(40.0 + 240.0 * column as f32, y, word).look(|text| text.fw = weight)
        })
    });
    let rule = "<tr class=\"rule\"></tr>";
    let row = "<tr class=\"line\"><td class=\"cell-3\">Harbour</td><td class=\"cell-3\">Gull Haven</td>\
               <td class=\"cell-4\">12.50</td></tr>";
    assert_eq!(
        page.body(),
        format!(
            "<div class=\"page\"><table class=\"table offset\">\
             <thead class=\"table\"><tr class=\"line\"><th class=\"cell\">Name</th>\
             <th class=\"cell\">Place</th><th class=\"cell-2\">Price</th></tr>{rule}</thead>\
             <tbody class=\"table\">{}</tbody></table><div class=\"rule-2 offset\"></div></div>",
            [row, row, row].join(rule)
        )
    );
}

#[test]
fn cells_with_borders_are_no_fields() {
    let page = (0..3).fold(Drawn::page(800, 400), |page, at| {
        let y = 40.0 + 40.0 * at as f32;
        (0..4).fold(page, |page, column| {
            let x = 40.0 + 180.0 * column as f32;
            page.outlined([x, y, 180.0, 40.0]).text(x + 12.0, y + 10.0, "A cell")
        })
    });
    let body = page.body();
    assert!(!body.contains("<input") && !body.contains("<button"), "{body}");
}

#[test]
fn cards_in_rows_are_no_table() {
    let page = (0..4).fold(Drawn::page(1000, 600), |page, at| {
        let y = 40.0 + 120.0 * at as f32;
        [40.0, 340.0].into_iter().fold(page, |page, x| {
            page.filled([x, y, 276.0, 96.0], [40, 60, 200]).text(x + 20.0, y + 20.0, "Primary").text(
                x + 20.0,
                y + 50.0,
                "A shade of blue",
            )
        })
    });
    let body = page.body();
    assert!(!body.contains("<table"), "{body}");
}

#[test]
fn columns_of_running_text_are_no_table() {
    let page = (0..4).fold(Drawn::page(1000, 400).text(60.0, 20.0, "Addresses"), |page, at| {
        let y = 80.0 + 24.0 * at as f32;
        page.text(60.0, y, "Some street 12").text(500.0, y, "Another way 3")
    });
    let body = page.body();
    assert!(!body.contains("<table"), "{body}");
}

#[test]
fn text_nearly_as_wide_as_its_column_keeps_to_the_left() {
    let page = Drawn::page(900, 300).text(50.0, 40.0, "A heading of thirty-one letters").text(
        58.0,
        100.0,
        "And a sentence below, of thirty",
    );
    let html = page.html();
    assert!(!html.contains("text-align: right"), "{html}");
}

#[test]
fn lines_of_code_keep_their_places() {
    let mono = |text: &mut TextFact| text.ff = "\"Liberation Mono\", monospace".to_owned();
    let page = Drawn::page(600, 200).text(50.0, 40.0, "<ul class=main>").look(mono);
    let page = page.text(66.0, 64.0, "<li>One</li>").look(mono).text(50.0, 88.0, "</ul>").look(mono);
    let lines = "<code><span>&lt;ul class=main&gt;</span><span>  &lt;li&gt;One&lt;/li&gt;</span><span>&lt;/ul&gt;</span></code>";
    let html = page.html().replace('\n', "");
    assert!(html.contains(lines), "{html}");
}

#[test]
fn line_misread_as_narrow_letters_is_set_in_the_family_of_the_page() {
    let page = Drawn::page(600, 200)
        .text(50.0, 40.0, "The words of a page are set in one family")
        .text(50.0, 100.0, "Log in")
        .look(|text| (text.ff, text.fs, text.h) = ("\"Open Sans Condensed\"".to_owned(), 30.0, 40.0));
    let html = page.html();
    assert!(!html.contains("Condensed") && !html.contains("30px"), "{html}");
}

#[test]
fn phone_page_is_changed_little_on_narrower_phones() {
    let page = Drawn::page(390, 800)
        .filled([20.0, 80.0, 350.0, 60.0], [230; 3])
        .text(40.0, 100.0, "04:18")
        .text(290.0, 100.0, "5.1 m")
        .text(20.0, 200.0, "Gull Haven");
    let html = page.html();
    let narrow = html.split("@media (max-width: 389px) {").nth(1).unwrap_or_default();
    let said: Vec<&str> = narrow.lines().filter_map(|line| line.split('{').nth(1)).map(str::trim).collect();
    assert!(narrow.contains("overflow-x: hidden;"), "{html}");
    assert!(
        said.iter().all(|rule| !rule.contains("padding") && !rule.contains("flex-direction")),
        "{said:?}"
    );
}

#[test]
fn what_is_beside_lines_stands_where_they_end() {
    let page = Drawn::page(1000, 300)
        .text(50.0, 40.0, "A paragraph runs on until its")
        .text(50.0, 64.0, "words do not fit into the line")
        .image([400.0, 40.0, 200.0, 120.0]);
    let html = page.html();
    let rule = rules(&html).into_iter().find(|rule| rule.contains("/24px")).unwrap_or_default();
    let length = |name: &str| -> f32 {
        let value = rule.split(&format!(" {name}: ")).nth(1).and_then(|rest| rest.split("px").next());
        value.and_then(|value| value.parse().ok()).unwrap_or(f32::NAN)
    };
    assert!((length("width") + length("margin-right") - 240.0).abs() <= 1.0, "{rule}");
    assert!(html.contains("margin-left: 0; margin-right: 0;"), "{html}");
}
