//! Chunks of a WAV file: the place and format of its samples.

use super::Sample;

/// Place and format of the samples of a file.
pub(super) struct Layout<'a> {
    /// Format of a sample.
    pub sample: Sample,
    /// Number of channels.
    pub channels: usize,
    /// Sample rate [Hz].
    pub rate: f64,
    /// Bytes of the samples.
    pub data: &'a [u8],
}

/// Compressed formats by their codes in the headers of Windows.
const FORMATS: &[(u16, &str)] = &[
    (2, "ADPCM of Microsoft"),
    (6, "A-law"),
    (7, "mu-law"),
    (0x11, "ADPCM of IMA"),
    (0x31, "GSM 6.10"),
    (0x50, "MPEG"),
    (0x55, "MP3"),
    (0xff, "AAC"),
    (0x161, "Windows Media Audio"),
];

/// First bytes of other kinds of files.
const OTHERS: &[(&[u8], &str)] = &[
    (b"RIFX", "a RIFF file of big endian"),
    (b"RF64", "an RF64 file"),
    (b"FORM", "an AIFF file"),
    (b"OggS", "an Ogg file"),
    (b"fLaC", "a FLAC file"),
    (b"ID3", "an MP3 file"),
    (b"RIFF", "a RIFF file of another kind"),
];

const PCM: u16 = 1;
const FLOAT: u16 = 3;
const EXTENSIBLE: u16 = 0xfffe;
/// Last bytes of a subformat GUID, after the format code.
const TAIL: [u8; 14] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71];
/// Length of a chunk that was never filled in, as of a stream.
const OPEN: u32 = u32::MAX;

/// Reads the chunks of a file.
///
/// # Errors
/// Fails as [`super::Recording::of`] does.
pub(super) fn of(bytes: &[u8]) -> Result<Layout<'_>, String> {
    let Some([b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E']) = bytes.first_chunk::<12>() else {
        let other = OTHERS.iter().find(|(begin, _)| bytes.starts_with(begin));
        let kind = other.map(|(_, what)| format!("; it is {what}")).unwrap_or_default();
        return Err(format!("is no RIFF/WAVE file{kind}; save it as WAV, PCM of 16 bit"));
    };
    let (mut format, mut data, mut at) = (None, None, 12);
    while let Some((head, rest)) = bytes.get(at..).and_then(<[u8]>::split_first_chunk::<8>) {
        let [a, b, c, d, length @ ..] = *head;
        let (name, length) = ([a, b, c, d], u32::from_le_bytes(length));
        let content = rest.get(..length as usize);
        match &name {
            b"fmt " if format.is_none() => format = Some(content.ok_or_else(|| cut(name, length, rest))?),
            b"data" if data.is_none() => data = Some(content.ok_or_else(|| cut(name, length, rest))?),
            _ => {}
        }
        if format.is_some() && data.is_some() {
            break;
        }
        // A chunk of odd length is followed by a padding byte that its length does not count.
        at = at.saturating_add(8).saturating_add(length as usize).saturating_add(length as usize % 2);
    }
    let lacks = |what: &str| format!("has no chunk '{what}'; save it again as WAV, PCM of 16 bit");
    layout(format.ok_or_else(|| lacks("fmt "))?, data.ok_or_else(|| lacks("data"))?)
}

/// Describes a chunk that ends early.
fn cut(name: [u8; 4], length: u32, rest: &[u8]) -> String {
    let name = String::from_utf8_lossy(&name).into_owned();
    if length == OPEN {
        return format!("the length of its chunk '{name}' was never written, as of a stream; save it as a file");
    }
    format!("is truncated: its chunk '{name}' has {length} bytes, {} are there", rest.len())
}

fn layout<'a>(format: &[u8], data: &'a [u8]) -> Result<Layout<'a>, String> {
    let short = || format!("its chunk 'fmt ' is too short: {} bytes", format.len());
    let [c0, c1, n0, n1, r0, r1, r2, r3, _, _, _, _, a0, a1, b0, b1] = *format.first_chunk::<16>().ok_or_else(short)?;
    let [mut code, channels, align, bits] =
        [[c0, c1], [n0, n1], [a0, a1], [b0, b1]].map(|[low, high]| u16::from_le_bytes([low, high]));
    let rate = u32::from_le_bytes([r0, r1, r2, r3]);
    if code == EXTENSIBLE {
        // The subformat GUID follows the valid bits and the speaker mask.
        let (own, tail) = format.get(24..40).and_then(<[u8]>::split_first_chunk::<2>).ok_or_else(short)?;
        if tail != TAIL {
            return Err("is of a format that is not known here; save it as PCM of 16 bit".to_string());
        }
        code = u16::from_le_bytes(*own);
    }
    let sample = match (code, bits) {
        (PCM, 8 | 16 | 24 | 32) => Sample::Pcm(usize::from(bits / 8)),
        (FLOAT, 32 | 64) => Sample::Float(usize::from(bits / 8)),
        (PCM, _) => return Err(format!("is PCM of {bits} bit; save it with 8, 16, 24 or 32")),
        (FLOAT, _) => return Err(format!("has floats of {bits} bit; save it with 32 or 64")),
        _ => {
            let known = FORMATS.iter().find(|(known, _)| *known == code);
            let name = known.map(|(_, name)| format!(", {name}")).unwrap_or_default();
            return Err(format!("is compressed (format {code}{name}); save it as PCM of 16 bit"));
        }
    };
    if channels == 0 {
        return Err("has no channels".to_string());
    }
    if rate == 0 {
        return Err("has a sample rate of 0".to_string());
    }
    let channels = usize::from(channels);
    let block = channels * sample.bytes();
    if usize::from(align) != block {
        return Err(format!("says that a block has {align} bytes; {channels} channels of {bits} bit have {block}"));
    }
    if data.is_empty() {
        return Err("has no samples".to_string());
    }
    if !data.len().is_multiple_of(block) {
        return Err(format!("is truncated: {} bytes of samples are no whole number of blocks of {block}", data.len()));
    }
    Ok(Layout { sample, channels, rate: f64::from(rate), data })
}
