use super::*;
use std::f64::consts::TAU;

const PCM: u16 = 1;
const FLOAT: u16 = 3;

fn chunk(name: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let pad = &[0][..content.len() % 2];
    [name, &(content.len() as u32).to_le_bytes()[..], content, pad].concat()
}

fn format(code: u16, channels: u16, rate: u32, bits: u16) -> Vec<u8> {
    let block = channels * (bits / 8);
    let words = [code, channels].map(u16::to_le_bytes).concat();
    let speeds = [rate, rate * u32::from(block)].map(u32::to_le_bytes).concat();
    [words, speeds, [block, bits].map(u16::to_le_bytes).concat()].concat()
}

/// Returns a format in its extensible form.
fn extensible(code: u16, channels: u16, rate: u32, bits: u16) -> Vec<u8> {
    let identifier = [&code.to_le_bytes()[..], &[0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71]].concat();
    let plain = format(0xfffe, channels, rate, bits);
    [plain, 22u16.to_le_bytes().to_vec(), bits.to_le_bytes().to_vec(), vec![0; 4], identifier].concat()
}

fn file(chunks: &[Vec<u8>]) -> Vec<u8> {
    let all = chunks.concat();
    [b"RIFF", &(all.len() as u32 + 4).to_le_bytes()[..], b"WAVE", &all].concat()
}

fn wav(format: &[u8], data: &[u8]) -> Vec<u8> {
    file(&[chunk(b"fmt ", format), chunk(b"data", data)])
}

fn sample(code: u16, bits: u16, value: f64) -> Vec<u8> {
    let whole = |scale: f64| ((value * scale).round().min(scale - 1.0)) as i32;
    match (code, bits) {
        (PCM, 8) => vec![(whole(128.0) + 128) as u8],
        (PCM, 16) => (whole(32768.0) as i16).to_le_bytes().to_vec(),
        (PCM, 24) => whole(8388608.0).to_le_bytes()[..3].to_vec(),
        (PCM, _) => whole(2147483648.0).to_le_bytes().to_vec(),
        (_, 32) => (value as f32).to_le_bytes().to_vec(),
        _ => value.to_le_bytes().to_vec(),
    }
}

fn describe(bytes: &[u8]) -> String {
    Recording::of(bytes).unwrap_err()
}

fn sine(amplitude: f64, frequency: f64, rate: u32, samples: usize) -> Recording {
    let value = |k: usize| amplitude * (TAU * frequency * k as f64 / f64::from(rate)).sin();
    let data: Vec<u8> = (0..samples).flat_map(|k| value(k).to_le_bytes()).collect();
    Recording::of(&wav(&format(FLOAT, 1, rate, 64), &data)).unwrap()
}

/// Every format gives the same samples of two channels, within half of its own step. Chunks of odd length before and
/// after them are skipped.
#[test]
fn formats_give_the_same_samples() {
    let values: Vec<[f64; 2]> = (0..50).map(|k| [0.9 * (0.3 * f64::from(k)).sin(), f64::from(k - 25) / 26.0]).collect();
    let steps = [(PCM, 8, 7), (PCM, 16, 15), (PCM, 24, 23), (PCM, 32, 31), (FLOAT, 32, 24), (FLOAT, 64, 52)];
    for (code, bits, digits) in steps {
        for head in [format(code, 2, 8000, bits), extensible(code, 2, 8000, bits)] {
            let data: Vec<u8> = values.iter().flatten().flat_map(|v| sample(code, bits, *v)).collect();
            let parts = [chunk(b"LIST", b"abc"), chunk(b"fmt ", &head), chunk(b"fact", &[1; 5]), chunk(b"data", &data)];
            let recording = Recording::of(&file(&[&parts[..], &[chunk(b"cue ", &[7; 3])]].concat())).unwrap();
            assert_eq!((recording.rate, recording.channels, recording.samples), (8000.0, 2, 50), "{code} {bits}");
            for channel in [0, 1] {
                let read: Vec<f64> = recording.channel(channel + 1).unwrap().collect();
                let off = read.iter().zip(&values).map(|(a, b)| (a - b[channel]).abs()).fold(0.0, f64::max);
                assert!(off <= 0.5f64.powi(digits + 1), "{code} {bits}: {off}");
            }
            assert_eq!(recording.channel(3).err().unwrap(), "channel 3 of 2; channels count from 1");
            assert!(recording.channel(0).is_err() && recording.duration() == 0.00625);
        }
    }
    let ends = |bits: u16, data: &[u8]| {
        Recording::of(&wav(&format(PCM, 1, 8000, bits), data)).unwrap().channel(1).unwrap().collect::<Vec<_>>()
    };
    assert_eq!(ends(8, &[0, 128, 255]), [-1.0, 0.0, 127.0 / 128.0]);
    assert_eq!(ends(24, &[0, 0, 128, 255, 255, 127]), [-1.0, 1.0 - 0.5f64.powi(23)]);
    // The samples may come before their format.
    assert!(Recording::of(&file(&[chunk(b"data", &[0; 4]), chunk(b"fmt ", &format(PCM, 1, 8000, 16))])).is_ok());
}

#[test]
fn faults_are_told_by_name() {
    let good = format(PCM, 1, 8000, 16);
    assert_eq!(describe(b""), "the file is empty");
    assert_eq!(describe(b"t,x\n1,2\n"), "is no RIFF/WAVE file; save it as WAV, PCM of 16 bit");
    assert!(describe(b"OggS....").contains("it is an Ogg file") && describe(b"RIFX....WAVE").contains("big endian"));
    assert!(describe(b"RIFF....AVI LIST").contains("a RIFF file of another kind"));
    for (code, name) in [(2, "ADPCM of Microsoft"), (6, "A-law"), (7, "mu-law"), (0x11, "ADPCM of IMA"), (0x55, "MP3")]
    {
        let message = format!("is compressed (format {code}, {name}); save it as PCM of 16 bit");
        for head in [format(code, 1, 8000, 8), extensible(code, 1, 8000, 8)] {
            assert_eq!(describe(&wav(&head, &[0; 8])), message);
        }
    }
    assert_eq!(describe(&wav(&format(99, 1, 8000, 8), &[0; 8])), "is compressed (format 99); save it as PCM of 16 bit");
    let mut strange = extensible(PCM, 1, 8000, 16);
    strange[39] = 0;
    assert!(describe(&wav(&strange, &[0; 8])).contains("a format that is not known here"));
    assert_eq!(describe(&wav(&format(PCM, 1, 8000, 12), &[0; 8])), "is PCM of 12 bit; save it with 8, 16, 24 or 32");
    assert_eq!(describe(&wav(&format(FLOAT, 1, 8000, 16), &[0; 8])), "has floats of 16 bit; save it with 32 or 64");
    let whole = wav(&good, &[1; 100]);
    assert_eq!(describe(&whole[..whole.len() - 30]), "is truncated: its chunk 'data' has 100 bytes, 70 are there");
    assert_eq!(describe(&whole[..30]), "is truncated: its chunk 'fmt ' has 16 bytes, 10 are there");
    let mut open = whole.clone();
    open[40..44].copy_from_slice(&[255; 4]);
    assert!(describe(&open).contains("was never written, as of a stream"));
    assert!(describe(&wav(&good, &[1; 101])).contains("101 bytes of samples are no whole number of blocks of 2"));
    assert!(describe(&file(&[chunk(b"data", &[0; 4])])).contains("no chunk 'fmt '"));
    assert!(describe(&file(&[chunk(b"fmt ", &good)])).contains("no chunk 'data'"));
    assert_eq!(describe(&wav(&good[..14], &[0; 4])), "its chunk 'fmt ' is too short: 14 bytes");
    assert_eq!(describe(&wav(&good, &[])), "has no samples");
    assert_eq!(describe(&wav(&format(PCM, 1, 0, 16), &[0; 4])), "has a sample rate of 0");
    assert_eq!(describe(&wav(&format(PCM, 0, 8000, 16), &[0; 4])), "has no channels");
    let mut wide = good.clone();
    wide[12] = 3;
    assert_eq!(describe(&wav(&wide, &[0; 6])), "says that a block has 3 bytes; 1 channels of 16 bit have 2");
    for odd in [f32::NAN, f32::INFINITY] {
        let mut data = [0.5f32; 8];
        data[5] = odd;
        let bytes: Vec<u8> = data.iter().flat_map(|v| v.to_le_bytes()).collect();
        let message = "sample 3 of channel 2, at 0.00025 s, is not finite";
        assert_eq!(describe(&wav(&format(FLOAT, 2, 8000, 32), &bytes)), message);
    }
    assert_eq!(fits(LARGEST + 1).unwrap_err(), "has 1.1 GB, more than 1 GiB; cut it to what is used");
    assert!(Recording::read(Path::new("no/such.wav")).unwrap_err().starts_with("cannot be read"));
}

/// Files truncated or changed at any byte never panic.
#[test]
fn no_bytes_panic() {
    let whole = wav(&extensible(PCM, 2, 8000, 16), &[9; 40]);
    for k in 0..whole.len() {
        let _ = Recording::of(&whole[..k]);
        for value in [0, 1, 127, 255] {
            let mut changed = whole.clone();
            changed[k] = value;
            let _ = Recording::of(&changed);
        }
    }
}

/// The mean of sin^2 over n samples is 1/2 within 1/(2 n sin(w dt)), as a geometric series shows. The root of 1 + e is
/// 1 within e.
#[test]
fn a_sine_has_its_root_mean_square() {
    let (rate, frequency, amplitude) = (44100, 440.0, 0.6);
    let recording = sine(amplitude, frequency, rate, 44100);
    let envelope = recording.envelope(1, &Hearing::default()).unwrap();
    // A window of 20 ms has 882 samples. Windows are centred at every 441 samples; the first and the last are halves.
    assert_eq!((envelope.speeds.len(), envelope.interval), (101, 0.01));
    for (k, speed) in envelope.speeds.iter().enumerate() {
        let n = if k == 0 || k == 100 { 441.0 } else { 882.0 };
        let within = 1.0 / (n * (TAU * frequency / f64::from(rate)).sin());
        let relative = speed / (amplitude / 2f64.sqrt()) - 1.0;
        assert!(relative.abs() < within, "{k}: {relative} of {within}");
    }
    assert!(envelope.at(1.001) == 0.0 && !envelope.silent());
}

#[test]
fn loudness_becomes_speed() {
    let recording = sine(0.5, 1000.0, 8000, 8000);
    let plain = recording.envelope(1, &Hearing::default()).unwrap();
    let at = |hearing: Hearing| recording.envelope(1, &hearing).unwrap().at(0.5);
    let loudness = plain.at(0.5);
    let louder = at(Hearing { gain: 3.0, ..Hearing::default() });
    assert!((louder - 3.0 * loudness).abs() < 1e-14);
    let hearing = Hearing { gain: 2.0, reference: 0.25, exponent: 0.5, ..Hearing::default() };
    assert!((at(hearing) - 2.0 * (loudness / 0.25).sqrt()).abs() < 1e-14);
    assert_eq!(at(Hearing { threshold: loudness * 1.001, ..Hearing::default() }), 0.0);
    assert!(at(Hearing { threshold: loudness * 0.999, ..Hearing::default() }) > 0.0);
    let short = recording.envelope(1, &Hearing { window: 1e-4, ..Hearing::default() }).unwrap_err();
    assert_eq!(short, "a window of 0.0001 s has less than two samples at 8000 Hz; give a longer one");
    assert!(recording.envelope(2, &Hearing::default()).is_err());
}

/// A short sound in silence keeps its time, and a silent channel is reported.
#[test]
fn silence_is_told() {
    let value = |k: usize| if (3000..5000).contains(&k) { 0.5f64 * (-1f64).powi(k as i32) } else { 0.0 };
    let two: Vec<u8> = (0..8000).flat_map(|k| [value(k), 0.0].map(f64::to_le_bytes).concat()).collect();
    let recording = Recording::of(&wav(&format(FLOAT, 2, 8000, 64), &two)).unwrap();
    assert_eq!([1, 2].map(|channel| recording.silent(channel)), [Ok(false), Ok(true)]);
    assert!(recording.silent(3).is_err());
    let [breath, none] = [1, 2].map(|channel| recording.envelope(channel, &Hearing::default()).unwrap());
    assert!(none.silent() && breath.at(0.36) == 0.0 && breath.at(0.64) == 0.0);
    assert!((breath.at(0.5) - 0.5).abs() < 1e-12, "{}", breath.at(0.5));
}
