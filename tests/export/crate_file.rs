//! Minimal reader of USD crate files, from the description of the format.

use std::collections::BTreeMap;

pub struct Crate {
    bytes: Vec<u8>,
    tokens: Vec<String>,
    /// Tokens of strings, and paths by number.
    strings: Vec<usize>,
    paths: Vec<String>,
    /// Values by path and field.
    pub specs: BTreeMap<String, BTreeMap<String, u64>>,
}

fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// Decompresses an LZ4 block, after the mark for a single block.
fn unpacked(block: &[u8]) -> Vec<u8> {
    assert_eq!(block[0], 0, "one block");
    let (mut at, mut out) = (1, Vec::new());
    let length = |start: usize, at: &mut usize| {
        let mut n = start;
        while n >= 15 {
            let more = block[*at] as usize;
            *at += 1;
            n += more;
            if more < 255 {
                break;
            }
        }
        n
    };
    while at < block.len() {
        let token = block[at];
        at += 1;
        let literals = length((token >> 4) as usize, &mut at);
        out.extend_from_slice(&block[at..at + literals]);
        at += literals;
        if at == block.len() {
            break;
        }
        let back = u16::from_le_bytes([block[at], block[at + 1]]) as usize;
        at += 2;
        for _ in 0..length((token & 15) as usize, &mut at) + 4 {
            out.push(out[out.len() - back]);
        }
    }
    out
}

/// Reads a table with its size in front, and advances behind it.
fn table(bytes: &[u8], at: &mut usize) -> Vec<u8> {
    let size = number(bytes, *at) as usize;
    *at += 8 + size;
    unpacked(&bytes[*at - size..*at])
}

fn integers(bytes: &[u8], at: &mut usize, count: usize) -> Vec<i32> {
    let packed = table(bytes, at);
    let common = i32::from_le_bytes(packed[..4].try_into().unwrap());
    let mut next = 4 + count.div_ceil(4);
    let mut last = 0i32;
    (0..count)
        .map(|k| {
            let width = [0, 1, 2, 4][(packed[4 + k / 4] >> (2 * (k % 4)) & 3) as usize];
            let step = match width {
                0 => common,
                1 => i32::from(packed[next] as i8),
                2 => i32::from(i16::from_le_bytes([packed[next], packed[next + 1]])),
                _ => i32::from_le_bytes(packed[next..next + 4].try_into().unwrap()),
            };
            next += width;
            last = last.wrapping_add(step);
            last
        })
        .collect()
}

/// Returns the paths by number, from the tree of paths.
fn paths_of(order: &[i32], elements: &[i32], jumps: &[i32], tokens: &[String]) -> Vec<String> {
    let mut named = vec![String::new(); order.len()];
    let mut open: Vec<String> = Vec::new();
    let mut above = String::new();
    for k in 0..order.len() {
        let element = elements[k];
        let name = &tokens[element.unsigned_abs() as usize];
        let path = match k {
            0 => "/".to_string(),
            _ if element < 0 => format!("{above}.{name}"),
            _ => format!("{}/{name}", above.trim_end_matches('/')),
        };
        named[order[k] as usize] = path.clone();
        match jumps[k] {
            0 => {}
            -2 => above = open.pop().unwrap_or_default(),
            jump => {
                // Children follow. With a jump, a sibling comes after them.
                if jump > 0 {
                    open.push(above.clone());
                }
                above = path;
            }
        }
    }
    named
}

impl Crate {
    pub fn read(bytes: Vec<u8>) -> Crate {
        assert_eq!(&bytes[..11], b"PXR-USDC\x00\x08\x00");
        let contents = number(&bytes, 16) as usize;
        let sections: BTreeMap<String, usize> = (0..number(&bytes, contents) as usize)
            .map(|k| {
                let at = contents + 8 + 32 * k;
                let name: String = bytes[at..at + 16].iter().take_while(|b| **b != 0).map(|b| char::from(*b)).collect();
                assert!(number(&bytes, at + 16).is_multiple_of(8));
                (name, number(&bytes, at + 16) as usize)
            })
            .collect();
        let count = |section: &str, at: &mut usize| {
            *at = sections[section] + 8;
            number(&bytes, *at - 8) as usize
        };
        let mut at = 0;
        let tokens = count("TOKENS", &mut at);
        at += 8;
        let text = table(&bytes, &mut at);
        let tokens: Vec<String> =
            text.split(|b| *b == 0).take(tokens).map(|t| String::from_utf8(t.to_vec()).unwrap()).collect();
        let strings = count("STRINGS", &mut at);
        let words = bytes[at..].chunks_exact(4).take(strings);
        let strings = words.map(|b| u32::from_le_bytes(b.try_into().unwrap()) as usize).collect();
        let fields = count("FIELDS", &mut at);
        let names = integers(&bytes, &mut at, fields);
        let values = table(&bytes, &mut at);
        let sets = count("FIELDSETS", &mut at);
        let sets = integers(&bytes, &mut at, sets);
        let paths = count("PATHS", &mut at);
        at += 8;
        let [order, elements, jumps] = [0; 3].map(|_| integers(&bytes, &mut at, paths));
        let named = paths_of(&order, &elements, &jumps, &tokens);
        let specs = count("SPECS", &mut at);
        let [of, first, _kind] = [0; 3].map(|_| integers(&bytes, &mut at, specs));
        let specs = of
            .iter()
            .zip(first)
            .map(|(path, first)| {
                let own = sets[first as usize..].iter().take_while(|f| **f >= 0).map(|f| {
                    let f = *f as usize;
                    (tokens[names[f] as usize].clone(), number(&values, 8 * f))
                });
                (named[*path as usize].clone(), own.collect())
            })
            .collect();
        Crate { bytes, tokens, strings, paths: named, specs }
    }

    pub fn field(&self, path: &str, field: &str) -> Option<u64> {
        self.specs.get(path).unwrap_or_else(|| panic!("no {path}: {:?}", self.specs.keys())).get(field).copied()
    }

    /// Returns the token of a field.
    pub fn token(&self, path: &str, field: &str) -> &str {
        self.word(self.field(path, field).unwrap())
    }

    /// Returns the token of a value.
    pub fn word(&self, value: u64) -> &str {
        assert_eq!(value >> 48, 0x4000 | 11);
        &self.tokens[(value & 0xffff_ffff) as usize]
    }

    /// Returns the text of a field.
    pub fn text(&self, path: &str, field: &str) -> &str {
        let value = self.field(path, field).unwrap();
        assert_eq!(value >> 48, 0x4000 | 10);
        &self.tokens[self.strings[(value & 0xffff_ffff) as usize]]
    }

    /// Returns the only target of a relationship or connection.
    pub fn path(&self, path: &str, field: &str) -> &str {
        let value = self.field(path, field).unwrap();
        assert_eq!(value >> 48, 34);
        let at = (value & 0xffff_ffff_ffff) as usize;
        assert_eq!((self.bytes[at], number(&self.bytes, at + 1)), (3, 1));
        &self.paths[u32::from_le_bytes(self.bytes[at + 9..at + 13].try_into().unwrap()) as usize]
    }

    /// Returns the number of type `float` of a field.
    pub fn float(&self, path: &str, field: &str) -> f32 {
        let value = self.field(path, field).unwrap();
        assert_eq!(value >> 48, 0x4000 | 8);
        f32::from_bits(value as u32)
    }

    /// Returns the vector of three `float` of a field.
    pub fn vector(&self, path: &str, field: &str) -> [f32; 3] {
        let value = self.field(path, field).unwrap();
        assert_eq!(value >> 48, 24);
        let at = (value & 0xffff_ffff_ffff) as usize;
        [0, 4, 8].map(|k| f32::from_le_bytes(self.bytes[at + k..at + k + 4].try_into().unwrap()))
    }

    /// Returns the floating-point number of a field.
    pub fn double(&self, path: &str, field: &str) -> f64 {
        let value = self.field(path, field).unwrap();
        match value >> 48 {
            0x4009 => f64::from(f32::from_bits(value as u32)),
            9 => f64::from_bits(number(&self.bytes, (value & 0xffff_ffff_ffff) as usize)),
            kind => panic!("{kind:x} is no double"),
        }
    }

    /// Returns the bytes of an array of a type, with elements of `width` bytes.
    pub fn array(&self, value: u64, kind: u64, width: usize) -> &[u8] {
        assert_eq!(value >> 48, 0x8000 | kind);
        let at = (value & 0xffff_ffff_ffff) as usize;
        assert!(at.is_multiple_of(8) && at > 0);
        &self.bytes[at + 8..][..number(&self.bytes, at) as usize * width]
    }

    /// Returns times and values.
    pub fn samples(&self, path: &str) -> Vec<(f64, u64)> {
        let value = self.field(path, "timeSamples").unwrap();
        assert_eq!(value >> 48, 46);
        let mut at = (value & 0xffff_ffff_ffff) as usize;
        at += number(&self.bytes, at) as usize;
        let times = number(&self.bytes, at);
        assert_eq!(times >> 48, 48);
        let times = (times & 0xffff_ffff_ffff) as usize;
        at += 8;
        at += number(&self.bytes, at) as usize;
        let count = number(&self.bytes, at) as usize;
        assert_eq!(number(&self.bytes, times) as usize, count);
        let one =
            |k: usize| (f64::from_bits(number(&self.bytes, times + 8 + 8 * k)), number(&self.bytes, at + 8 + 8 * k));
        (0..count).map(one).collect()
    }
}
