//! Line plots as SVG.

use super::html::escape;

/// Line colours that remain distinct without colour vision (M. Okabe and K. Ito).
const COLOURS: [&str; 10] =
    ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#b8a800", "#888888", "#8b5a2b", "#7f3c8d"];

/// Label of an axis of frames.
pub const FRAME: &str = "frame";
/// Label of an axis of time.
pub const TIME: &str = "time [s]";

/// Size and margins of a plot [user units].
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 10.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 34.0;
/// Height of a row of names.
const ROW: f64 = 15.0;
/// Width of a letter, which is less in most fonts.
const LETTER: f64 = 6.4;
/// Between two names.
const SPACE: f64 = 9.0;

/// Line of a plot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// Name; may be empty for a single line.
    pub name: String,
    /// Points; the line is broken at a non-finite point.
    pub points: Vec<[f64; 2]>,
}

impl Line {
    /// Reduces the line to about `most` points: the smallest and the largest of each stretch, in their order. Shorter
    /// lines are unchanged.
    pub fn thinned(self, most: usize) -> Line {
        let Line { name, points } = self;
        if points.len() <= most {
            return Line { name, points };
        }
        let stretch = (2 * points.len()).div_ceil(most.max(2));
        let of = |part: &[[f64; 2]]| {
            let by = |a: &&[f64; 2], b: &&[f64; 2]| a[1].total_cmp(&b[1]);
            let ends = [part.iter().min_by(by), part.iter().max_by(by)];
            let mut two: Vec<[f64; 2]> = ends.into_iter().flatten().copied().collect();
            two.sort_by(|a, b| a[0].total_cmp(&b[0]));
            two.dedup();
            two
        };
        Line { name, points: points.chunks(stretch).flat_map(of).collect() }
    }
}

/// Plot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// Title.
    pub title: String,
    /// Label of the horizontal axis.
    pub axis: String,
    /// Lines.
    pub lines: Vec<Line>,
}

/// Returns round numbers that divide a range into three to seven parts.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let raw = (high - low) / 5.0;
    let ten = 10f64.powf(raw.log10().floor());
    let step = ten * [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * ten >= raw * 0.999).unwrap_or(10.0);
    let (first, last) = ((low / step - 1e-9).ceil() as i64, (high / step + 1e-9).floor() as i64);
    (first..=last).map(|k| k as f64 * step).collect()
}

/// Formats a number with about four significant digits. Numbers below 1e-3 or from 1e5 on have an exponent.
pub fn number(x: f64) -> String {
    if x == 0.0 {
        "0".to_string()
    } else if !x.is_finite() {
        x.to_string()
    } else if (1e-3..1e5).contains(&x.abs()) {
        let digits = (3 - x.abs().log10().floor() as i32).clamp(0, 6) as usize;
        let text = format!("{x:.digits$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
    } else {
        let text = format!("{x:.2e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        format!(
            "{}e{exponent}",
            if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa }
        )
    }
}

/// Returns the range of the finite numbers, never empty, or `None` without any.
fn range(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    let [low, high] =
        values.filter(|v| v.is_finite()).fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], v| [l.min(v), h.max(v)]);
    if low > high {
        return None;
    }
    if high - low > 1e-9 * low.abs().max(high.abs()) {
        return Some([low, high]);
    }
    // A single value: the range runs from zero to that value.
    Some(if low == 0.0 { [0.0, 1.0] } else { [low.min(0.0), high.max(0.0)] })
}

/// Width of a text in any font.
fn width(text: &str) -> f64 {
    LETTER * text.chars().count() as f64
}

/// A text that fits into a width, its end left out.
fn cut(text: &str, room: f64) -> String {
    if width(text) <= room {
        return text.to_string();
    }
    let letters = (room / LETTER) as usize;
    text.chars().take(letters.saturating_sub(3)).collect::<String>() + "..."
}

/// Ranges of a plot, and where they are in the figure.
struct View {
    /// Smallest and largest horizontal value.
    x: [f64; 2],
    /// Smallest and largest vertical value.
    y: [f64; 2],
    /// Upper end of the vertical axis [user units].
    top: f64,
    /// Height of the figure [user units].
    height: f64,
}

impl View {
    fn place_x(&self, x: f64) -> f64 {
        LEFT + (x - self.x[0]) / (self.x[1] - self.x[0]) * (WIDTH - LEFT - RIGHT)
    }

    fn place_y(&self, y: f64) -> f64 {
        self.height - BOTTOM - (y - self.y[0]) / (self.y[1] - self.y[0]) * (self.height - self.top - BOTTOM)
    }
}

impl Plot {
    /// Rows of lines by their numbers, so that names have room: the first beside the title, as many as needed below.
    fn rows(&self) -> Vec<Vec<usize>> {
        let whole = WIDTH - LEFT - RIGHT;
        let mut left = whole - width(&self.title);
        let mut rows = vec![Vec::new()];
        for (k, line) in self.lines.iter().enumerate().filter(|(_, line)| !line.name.is_empty()) {
            let wanted = (width(&line.name) + SPACE).min(whole);
            if wanted > left {
                rows.push(Vec::new());
                left = whole;
            }
            left -= wanted;
            rows.last_mut().into_iter().for_each(|row| row.push(k));
        }
        rows
    }

    /// Returns the plot as an SVG figure, or an empty string if no line has a finite point.
    pub fn svg(&self) -> String {
        let all = || self.lines.iter().flat_map(|line| &line.points).filter(|[x, y]| x.is_finite() && y.is_finite());
        let (Some(x), Some(y)) = (range(all().map(|p| p[0])), range(all().map(|p| p[1]))) else {
            return String::new();
        };
        let rows = self.rows();
        let top = TOP + ROW * (rows.len() - 1) as f64;
        let view = View { x, y, top, height: HEIGHT + top - TOP };
        let title = escape(&self.title);
        let mut svg = format!(
            "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"{title}\"{}>\n",
            view.height,
            self.cursor(&view)
        );
        self.put_axes(&view, &mut svg);
        self.put_names(&rows, &mut svg);
        self.put_lines(&view, &mut svg);
        svg.push_str("</svg>\n");
        svg
    }

    /// Returns the attributes of the viewer's cursor: axis, then both ends of it as values and places, then top and
    /// bottom.
    fn cursor(&self, View { x: [x0, x1], top, height, .. }: &View) -> String {
        let axis = match self.axis.as_str() {
            FRAME => "frame",
            TIME => "time",
            _ => return String::new(),
        };
        let (right, bottom) = (WIDTH - RIGHT, height - BOTTOM);
        format!(" data-axis=\"{axis}\" data-frame=\"{x0} {x1} {LEFT} {right} {top} {bottom}\"")
    }

    /// Appends the axes with their numbers, and the title.
    fn put_axes(&self, view: &View, svg: &mut String) {
        let text = |x: f64, y: f64, anchor: &str, what: &str| {
            format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>\n", escape(what))
        };
        for y in ticks(view.y[0], view.y[1]) {
            let at = view.place_y(y);
            svg.push_str(&format!(
                "<path class=\"axis\" d=\"M{LEFT} {at:.1}H{:.1}\"/>\n{}",
                WIDTH - RIGHT,
                text(LEFT - 6.0, at + 4.0, "end", &number(y))
            ));
        }
        for x in ticks(view.x[0], view.x[1]) {
            svg.push_str(&text(view.place_x(x), view.height - BOTTOM + 15.0, "middle", &number(x)));
        }
        svg.push_str(&text(WIDTH - RIGHT, view.height - 4.0, "end", &self.axis));
        svg.push_str(&text(LEFT, 14.0, "start", &cut(&self.title, WIDTH - LEFT - RIGHT)));
    }

    /// Appends the names of the lines. A single text element per row places them correctly in any font.
    fn put_names(&self, rows: &[Vec<usize>], svg: &mut String) {
        for (row, lines) in rows.iter().enumerate().filter(|(_, lines)| !lines.is_empty()) {
            let name = |k: &usize| {
                let (colour, name) =
                    (COLOURS[k % COLOURS.len()], cut(&self.lines[*k].name, WIDTH - LEFT - RIGHT - SPACE));
                format!("<tspan dx=\"{SPACE}\" style=\"fill:{colour}\">{}</tspan>", escape(&name))
            };
            svg.push_str(&format!(
                "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"end\">{}</text>\n",
                WIDTH - RIGHT,
                14.0 + ROW * row as f64,
                lines.iter().map(name).collect::<String>()
            ));
        }
    }

    /// Appends the lines.
    fn put_lines(&self, view: &View, svg: &mut String) {
        for (k, line) in self.lines.iter().enumerate() {
            let colour = COLOURS[k % COLOURS.len()];
            for run in line.points.split(|[x, y]| !(x.is_finite() && y.is_finite())) {
                let places: Vec<String> =
                    run.iter().map(|[x, y]| format!("{:.1},{:.1}", view.place_x(*x), view.place_y(*y))).collect();
                match places.as_slice() {
                    [] => (),
                    [one] => {
                        let (x, y) = one.split_once(',').unwrap_or(("0", "0"));
                        svg.push_str(&format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"2\" fill=\"{colour}\"/>\n"));
                    }
                    _ => svg.push_str(&format!("<polyline stroke=\"{colour}\" points=\"{}\"/>\n", places.join(" "))),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        assert_eq!(ticks(0.0, 1.0), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(ticks(-3.0, 47.0), [0.0, 10.0, 20.0, 30.0, 40.0]);
        assert_eq!(
            [0.0, 0.6000000000000001, 12345.0, 1.5e-7, 2e6, 0.05].map(number),
            ["0", "0.6", "12345", "1.5e-7", "2e6", "0.05"]
        );
    }

    #[test]
    fn a_long_line_keeps_its_peaks() {
        let points = |count: usize| -> Vec<[f64; 2]> {
            (0..count).map(|k| [k as f64, if k == 777 { 9.0 } else { (k % 2) as f64 }]).collect()
        };
        let line = |count: usize| Line { name: String::new(), points: points(count) };
        let thin = line(1000).thinned(100);
        assert!(thin.points.len() <= 100 && thin.points.contains(&[777.0, 9.0]), "{}", thin.points.len());
        assert!(thin.points.windows(2).all(|p| p[0][0] < p[1][0]));
        assert_eq!(line(100).thinned(100), line(100));
    }

    /// In a font of the widest letters the title and every row of names have room of their own.
    #[test]
    fn names_never_lie_on_the_title() {
        let line = |name: &str| Line { name: name.into(), points: vec![[0.0, 1.0], [1.0, 2.0]] };
        let plot = |title: &str, names: &[&str]| Plot {
            title: title.into(),
            axis: "t".into(),
            lines: names.iter().map(|name| line(name)).collect(),
        };
        assert_eq!(plot("energies [J]", &["x", "y"]).rows(), [vec![0, 1]]);
        let words = ["membrane", "bending", "kinetic", "internal friction", "liquid bridges", "gravity", "tethers"];
        let long = plot("energies without gravity and flow and more [J]", &words);
        let rows = long.rows();
        assert_eq!(rows.concat(), (0..words.len()).collect::<Vec<_>>());
        for (k, row) in rows.iter().enumerate() {
            let names: f64 = row.iter().map(|k| width(words[*k]) + SPACE).sum();
            assert!(names + if k == 0 { width(&long.title) } else { 0.0 } <= WIDTH - LEFT - RIGHT, "{rows:?}");
        }
        let svg = long.svg();
        assert!(rows.len() > 1 && svg.contains(&format!("y=\"{}\" text-anchor=\"end\"", 14.0 + ROW)), "{svg}");
        assert!(svg.contains(&format!(",{:.1}\"", TOP + ROW * (rows.len() - 1) as f64)), "{svg}");
        // Text wider than the plot is cut short; screen readers get all of it.
        let wide = plot(&"w".repeat(200), &[&"n".repeat(200)]).svg();
        assert!(wide.contains("www...</text>") && wide.contains("nnn...</tspan>") && wide.contains(&"w".repeat(200)));
    }

    #[test]
    fn lines_break_where_there_is_no_number() {
        let points =
            vec![[0.0, 1.0], [1.0, 2.0], [2.0, f64::INFINITY], [3.0, 3.0], [4.0, 1.0], [5.0, f64::NAN], [6.0, 0.0]];
        let plot = Plot { title: "a & b".into(), axis: "t".into(), lines: vec![Line { name: "<x>".into(), points }] };
        let svg = plot.svg();
        assert_eq!((svg.matches("<polyline").count(), svg.matches("<circle").count()), (2, 1));
        assert!(svg.contains("a &amp; b") && svg.contains("&lt;x&gt;") && !svg.contains("NaN") && !svg.contains("inf"));
        // The upper left corner of the drawing is the time of the first value and the height of the largest.
        assert!(svg.contains(&format!("points=\"{LEFT:.1},")) && svg.contains(&format!(",{TOP:.1} ")));
        assert_eq!(Plot { lines: vec![Line { name: String::new(), points: vec![[0.0, f64::NAN]] }], ..plot }.svg(), "");
    }
}
