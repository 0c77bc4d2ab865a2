//! Recordings in WAV files (RIFF, Microsoft & IBM 1991; WAVE_FORMAT_EXTENSIBLE, Microsoft 2001), and their loudness.
//!
//! Samples are PCM of 8, 16, 24 or 32 bit, or IEEE floats of 32 or 64 bit. Any number of channels is accepted. Full
//! scale is 1.0. Unknown chunks are skipped. The library hound reads fewer files: `docs/hindsight.md` lists those that
//! it refuses.
//!
//! Loudness is the root mean square (RMS) over a window. Windows are centred at multiples of half their length. Time
//! outside the recording is left out of the mean. Loudness becomes a speed: `gain (RMS/reference)^exponent`. An
//! exponent of 1 is that of Horiba et al. 2007, section 3.2. The noise of wind grows with the square of its speed. An
//! exponent of 0.5 therefore recovers the speed of the wind.

mod layout;

use super::memory::words;
use super::unit::number;
use crate::mesh::text;
use crate::world::envelope::Envelope;
use layout::Layout;
use std::path::Path;

/// Size of the largest file [bytes].
const LARGEST: u64 = 1 << 30;

/// Recording. Samples are kept in the format of the file and converted on request.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Recording {
    /// Sample rate of each channel [Hz].
    pub rate: f64,
    /// Number of channels.
    pub channels: usize,
    /// Number of samples of each channel.
    pub samples: usize,
    /// Format of a sample.
    sample: Sample,
    /// Samples as in the file. Channels are interleaved.
    data: Vec<u8>,
}

/// Format of a sample, little endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sample {
    /// Integer of so many bytes.
    Pcm(usize),
    /// Float of so many bytes.
    Float(usize),
}

impl Sample {
    /// Returns the length of a sample [bytes].
    fn bytes(self) -> usize {
        match self {
            Sample::Pcm(bytes) | Sample::Float(bytes) => bytes,
        }
    }

    /// Returns the value of a sample; full scale is 1.
    fn value(self, bytes: &[u8]) -> f64 {
        match (self, bytes) {
            // Samples of 8 bits are unsigned. Their middle is 128.
            (Sample::Pcm(_), [a]) => (f64::from(*a) - 128.0) / 128.0,
            (Sample::Pcm(_), [a, b]) => f64::from(i16::from_le_bytes([*a, *b])) / 32768.0,
            (Sample::Pcm(_), [a, b, c]) => f64::from(i32::from_le_bytes([0, *a, *b, *c])) / 2147483648.0,
            (Sample::Pcm(_), [a, b, c, d]) => f64::from(i32::from_le_bytes([*a, *b, *c, *d])) / 2147483648.0,
            (Sample::Float(_), [a, b, c, d]) => f64::from(f32::from_le_bytes([*a, *b, *c, *d])),
            (Sample::Float(_), bytes) => bytes.try_into().map_or(f64::NAN, f64::from_le_bytes),
            (Sample::Pcm(_), _) => f64::NAN,
        }
    }
}

/// Conversion from loudness to speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hearing {
    /// Length of a window [s].
    pub window: f64,
    /// Speed at the loudness `reference` [m/s].
    pub gain: f64,
    /// Loudness at which the speed is `gain`; full scale is 1.
    pub reference: f64,
    /// Exponent of the loudness.
    pub exponent: f64,
    /// Loudness below which the speed is zero; full scale is 1.
    pub threshold: f64,
}

impl Default for Hearing {
    /// Returns 1 m/s at full scale, in proportion to the loudness over 20 ms.
    fn default() -> Hearing {
        Hearing { window: 0.02, gain: 1.0, reference: 1.0, exponent: 1.0, threshold: 0.0 }
    }
}

impl Hearing {
    /// Returns the speed of a loudness [m/s].
    fn speed(&self, loudness: f64) -> f64 {
        if loudness <= 0.0 || loudness < self.threshold {
            return 0.0;
        }
        self.gain * (loudness / self.reference).powf(self.exponent)
    }
}

impl Recording {
    /// Reads a WAV file.
    ///
    /// # Errors
    /// Fails if the file cannot be read or is larger than 1 GiB; else as [`Recording::of`].
    pub(super) fn read(path: &Path) -> Result<Recording, String> {
        let cannot = |error: std::io::Error| format!("cannot be read: {error}");
        fits(std::fs::metadata(path).map_err(cannot)?.len())?;
        Recording::of(&std::fs::read(path).map_err(cannot)?)
    }

    /// Reads a recording from the bytes of its file.
    ///
    /// # Errors
    /// Fails if the bytes are no WAV file, compressed, truncated, or without a format or samples. Fails if the rate is
    /// zero, if blocks do not fit, or if a sample is not finite.
    pub(super) fn of(bytes: &[u8]) -> Result<Recording, String> {
        fits(bytes.len() as u64)?;
        let Layout { sample, channels, rate, data } = layout::of(text::there(bytes).map_err(|error| error.what)?)?;
        let samples = data.len() / (sample.bytes() * channels);
        let recording = Recording { rate, channels, samples, sample, data: data.to_vec() };
        let wrong = data.chunks_exact(sample.bytes()).position(|bytes| !sample.value(bytes).is_finite());
        let Some(k) = wrong else { return Ok(recording) };
        let (index, channel) = (k / channels, k % channels);
        Err(format!(
            "sample {} of channel {}, at {} s, is not finite",
            index + 1,
            channel + 1,
            number(index as f64 / rate)
        ))
    }

    /// Returns the samples of a channel, counted from 1. Full scale is 1.
    ///
    /// # Errors
    /// Fails if there is no such channel.
    pub(super) fn channel(&self, channel: usize) -> Result<impl Iterator<Item = f64>, String> {
        if !(1..=self.channels).contains(&channel) {
            return Err(format!("channel {channel} of {}; channels count from 1", self.channels));
        }
        let (sample, from) = (self.sample, (channel - 1) * self.sample.bytes());
        let blocks = self.data.chunks_exact(sample.bytes() * self.channels);
        Ok(blocks.map(move |block| sample.value(block.get(from..from + sample.bytes()).unwrap_or_default())))
    }

    /// Returns whether all samples of a channel, counted from 1, are zero. Such a recording is probably unintended.
    ///
    /// # Errors
    /// Fails as [`Recording::channel`] does.
    pub(super) fn silent(&self, channel: usize) -> Result<bool, String> {
        Ok(self.channel(channel)?.all(|sample| sample == 0.0))
    }

    /// Returns the duration of the recording [s].
    pub(super) fn duration(&self) -> f64 {
        self.samples as f64 / self.rate
    }

    /// Returns the speeds of a channel, counted from 1.
    ///
    /// # Errors
    /// Fails if there is no such channel, or if a window has less than two samples.
    pub(super) fn envelope(&self, channel: usize, hearing: &Hearing) -> Result<Envelope, String> {
        let half = hearing.window / 2.0;
        if half * self.rate < 1.0 {
            let [window, rate] = [hearing.window, self.rate].map(number);
            return Err(format!("a window of {window} s has less than two samples at {rate} Hz; give a longer one"));
        }
        // Sum of squares and number of samples of each half window.
        let (mut halves, mut end) = (Vec::<(f64, usize)>::new(), 0);
        for (k, sample) in self.channel(channel)?.enumerate() {
            if k >= end {
                halves.push((0.0, 0));
                end = (halves.len() as f64 * half * self.rate).round() as usize;
            }
            if let Some((sum, count)) = halves.last_mut() {
                *sum += sample * sample;
                *count += 1;
            }
        }
        let loudness = |k: usize| {
            let of = |k: Option<usize>| k.and_then(|k| halves.get(k)).copied().unwrap_or_default();
            let [(a, m), (b, n)] = [k.checked_sub(1), Some(k)].map(of);
            ((a + b) / (m + n).max(1) as f64).sqrt()
        };
        // The tolerance keeps the window at the end if the quotient is rounded to just below it.
        let count = (self.duration() / half + 1e-9).floor() as usize + 1;
        Ok(Envelope { interval: half, speeds: (0..count).map(|k| hearing.speed(loudness(k))).collect() })
    }
}

/// Rejects a file larger than 1 GiB.
fn fits(bytes: u64) -> Result<(), String> {
    if bytes > LARGEST {
        return Err(format!("has {}, more than 1 GiB; cut it to what is used", words(bytes)));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
