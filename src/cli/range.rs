//! Ranges of frames: `12`, `1-60`, `1-100x2`, and lists of them.

/// A set of frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frames {
    /// First frame, last frame and step of each range.
    ranges: Vec<[u32; 3]>,
}

impl Frames {
    /// Parses text such as `1-10,20-100x5`. `:` is allowed in place of `x`.
    ///
    /// # Errors
    /// Says which forms are valid.
    pub(super) fn parse(text: &str) -> Result<Frames, String> {
        let number = |t: &str| t.trim().parse::<u32>().ok();
        let range = |part: &str| {
            let (part, step) = match part.split_once(['x', ':']) {
                Some((part, step)) => (part, number(step).filter(|step| *step > 0)?),
                None => (part, 1),
            };
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (number(first)?, number(last)?);
            (first <= last).then_some([first, last, step])
        };
        match text.split(',').map(range).collect() {
            Some(ranges) => Ok(Frames { ranges }),
            None => Err("expected frames such as 12, 1-60, 1-100x2 or 1-10,50".to_string()),
        }
    }

    /// Parses the first and last frame of a single range without gaps.
    ///
    /// # Errors
    /// Says which forms are valid.
    pub(super) fn unbroken(text: &str) -> Result<(u32, u32), String> {
        match Frames::parse(text).map(|frames| frames.ranges).as_deref() {
            Ok([[first, last, 1]]) => Ok((*first, *last)),
            _ => Err("expected a frame or two ascending ones, such as 12 or 1-60".to_string()),
        }
    }

    /// Returns whether the set contains a frame.
    pub(super) fn has(&self, frame: u32) -> bool {
        self.ranges.iter().any(|[a, b, step]| (*a..=*b).contains(&frame) && (frame - a).is_multiple_of(*step))
    }

    /// Returns the last frame of the set.
    pub(super) fn last(&self) -> u32 {
        self.ranges.iter().map(|[a, b, step]| b - (b - a) % step).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::Frames;

    fn all(text: &str) -> Option<Vec<u32>> {
        let frames = Frames::parse(text).ok()?;
        let all: Vec<u32> = (1..=200).filter(|f| frames.has(*f)).collect();
        assert_eq!(all.last(), Some(&frames.last()));
        Some(all)
    }

    #[test]
    fn ranges_of_frames() {
        assert_eq!(all("12"), Some(vec![12]));
        assert_eq!(all("1-60"), Some((1..=60).collect()));
        assert_eq!(all("1-100x2"), Some((1..=99).step_by(2).collect()));
        assert_eq!(all("4-100:30"), Some(vec![4, 34, 64, 94]));
        assert_eq!(Frames::unbroken("0-3"), Ok((0, 3)));
        assert_eq!(all("7, 1-5x3,3"), Some(vec![1, 3, 4, 7]));
        assert_eq!(Frames::unbroken("2-9"), Ok((2, 9)));
        assert!(Frames::unbroken("2-9x2").is_err() && Frames::unbroken("2,3").is_err());
        assert!(Frames::unbroken("6-1").is_err_and(|reported| !reported.contains("1-100x2")));
        for wrong in ["", "6-1", "a", "-", "1-9x0", "1-9x", "1,", "1--3", "4294967296"] {
            assert_eq!(all(wrong), None, "{wrong}");
        }
    }
}
