//! Makes the recordings of `scenes/recordings/`: noise as loud as breath, or a gust, at a microphone.
//!
//! `cargo run --example make_recordings` writes the files again, identical on every machine.

use percale::linalg::random::Random;
use std::f64::consts::PI;
use std::fs;
use std::path::Path;

/// Sampling rate [Hz].
const RATE: u32 = 2000;

/// Returns a WAV file of 16 bits per sample. Every channel is noise of a time-dependent loudness (root mean square).
fn wav(seconds: f64, channels: &[&dyn Fn(f64) -> f64]) -> Vec<u8> {
    let mut random = Random::new(4);
    let mut data = Vec::new();
    for k in 0..(seconds * f64::from(RATE)) as usize {
        let t = k as f64 / f64::from(RATE);
        for loudness in channels {
            // Uniform noise between -1 and 1 has the loudness 1/sqrt(3).
            let sample = loudness(t) * 3f64.sqrt() * random.signed();
            data.extend(((sample.clamp(-1.0, 1.0) * 32767.0).round() as i16).to_le_bytes());
        }
    }
    let (count, block) = (channels.len() as u16, 2 * channels.len() as u16);
    let mut file = b"RIFF".to_vec();
    file.extend((36 + data.len() as u32).to_le_bytes());
    file.extend(b"WAVEfmt ");
    file.extend(16u32.to_le_bytes());
    for field in [1, count] {
        file.extend(u16::to_le_bytes(field));
    }
    file.extend(RATE.to_le_bytes());
    file.extend((RATE * u32::from(block)).to_le_bytes());
    for field in [block, 16] {
        file.extend(u16::to_le_bytes(field));
    }
    file.extend(b"data");
    file.extend((data.len() as u32).to_le_bytes());
    file.extend(data);
    file
}

/// Returns a smooth pulse from 0 up to 1 and back to 0 between two times [s].
fn hump(t: f64, from: f64, until: f64) -> f64 {
    if (from..until).contains(&t) { ((t - from) / (until - from) * PI).sin().powi(2) } else { 0.0 }
}

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/recordings");
    fs::create_dir_all(&folder)?;
    let breath = |t: f64| 0.3 * hump(t, 0.9, 4.5);
    fs::write(folder.join("breath.wav"), wav(6.0, &[&breath]))?;
    // The first breath comes from the front, the second from the side. The other microphone records each at half the
    // loudness.
    let front = |t: f64| 0.3 * hump(t, 0.9, 4.5) + 0.15 * hump(t, 9.9, 13.5);
    let side = |t: f64| 0.15 * hump(t, 0.9, 4.5) + 0.3 * hump(t, 9.9, 13.5);
    fs::write(folder.join("two-breaths.wav"), wav(15.0, &[&front, &side]))?;
    let gust = |t: f64| 0.3 * (hump(t, 0.0, 0.5) + 0.5 * hump(t, 0.3, 0.7));
    fs::write(folder.join("gust.wav"), wav(0.8, &[&gust]))
}
