//! Pictures that were recompressed, rescaled, brightened or cropped are found again; files that are no
//! pictures are counted.

use image::codecs::jpeg::JpegEncoder;
use image::imageops::{self, FilterType};
use image::{ImageFormat, Rgb, RgbImage};
use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::Path;
use tamis::hash::{Functions, KeyHash};
use tamis::similar::index::Index;
use tamis::similar::lsh::Bands;
use tamis::similar::{Shingler, Shingles, Signer};
use tamis_corpus::documents::Problem;
use tamis_corpus::documents::Tolerance;
use tamis_corpus::pictures::{decode, for_each_picture};
use tamis_corpus::{Error, Result};

const PICTURES: u64 = 200;

/// Numbers below `end`, by chance but always the same.
struct Chance(Functions);

impl Chance {
    fn new(seed: u64) -> Self {
        Self(Functions::new(KeyHash::new(3).integer(seed)))
    }

    fn below(&mut self, end: u64) -> i64 {
        (self.0.next().expect("functions never end") % end) as i64
    }

    fn colour(&mut self) -> [i64; 3] {
        std::array::from_fn(|_| self.below(256))
    }
}

/// A background that goes from one colour to another, and a few discs and bars on it.
fn draw(seed: u64) -> RgbImage {
    let mut chance = Chance::new(seed);
    let (width, height) = (160 + chance.below(160), 120 + chance.below(160));
    let (from, to) = (chance.colour(), chance.colour());
    let shapes: Vec<_> = (0..4 + chance.below(6))
        .map(|_| {
            let place = (chance.below(width as u64), chance.below(height as u64));
            (place, 10 + chance.below(60), chance.below(2) == 0, chance.colour())
        })
        .collect();
    RgbImage::from_fn(width as u32, height as u32, |x, y| {
        let (x, y) = (i64::from(x), i64::from(y));
        let slope = |channel: usize| {
            from[channel] + (to[channel] - from[channel]) * (x + y) / (width + height)
        };
        let mut colour = [slope(0), slope(1), slope(2)];
        for ((left, top), size, round, of_shape) in &shapes {
            let (dx, dy) = (x - left, y - top);
            let inside = if *round {
                dx * dx + dy * dy < size * size
            } else {
                dx.abs() < *size && dy.abs() < size / 3
            };
            if inside {
                colour = *of_shape;
            }
        }
        Rgb(colour.map(|channel| channel as u8))
    })
}

fn jpeg(picture: &RgbImage, quality: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, quality).encode_image(picture).expect("encoded");
    bytes
}

fn png(picture: &RgbImage) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, ImageFormat::Png).expect("encoded");
    bytes.into_inner()
}

/// What happens to pictures on their way through the world.
fn changed(picture: &RgbImage) -> [(&'static str, Vec<u8>); 4] {
    let (width, height) = picture.dimensions();
    let small = imageops::resize(picture, width * 6 / 10, height * 6 / 10, FilterType::Triangle);
    let mut bright = picture.clone();
    for channel in bright.iter_mut() {
        *channel = (u16::from(*channel) * 115 / 100 + 10).min(255) as u8;
    }
    let (x, y) = (width / 20, height / 20);
    let inner = imageops::crop_imm(picture, x, y, width - x, height - y).to_image();
    [
        ("recompressed", jpeg(picture, 40)),
        ("rescaled", png(&small)),
        ("brightened", jpeg(&bright, 85)),
        ("cropped", png(&inner)),
    ]
}

#[test]
fn the_original_is_among_the_nearest_three() {
    let shingler = Shingler::new(Shingles::Picture);
    let signer = Signer::new(256).expect("components");
    let bands = Bands::for_threshold(256, 0.3).expect("a threshold");
    let mut index = Index::new(signer, bands).expect("bands that fit");
    let set = |bytes: &[u8]| {
        let pixels = decode(Path::new("picture"), bytes).expect("a picture");
        shingler.picture(&pixels.picture().expect("pixels"))
    };
    let pictures: Vec<RgbImage> = (0..PICTURES).map(draw).collect();
    for (number, picture) in pictures.iter().enumerate() {
        index.insert(&number.to_string(), &set(&png(picture)));
    }
    let mut found: BTreeMap<&str, u64> = BTreeMap::new();
    for (number, picture) in pictures.iter().enumerate() {
        for (change, bytes) in changed(picture) {
            let nearest = index.nearest(&set(&bytes), 3);
            let is_there = nearest.iter().any(|near| near.id == number.to_string());
            *found.entry(change).or_default() += u64::from(is_there);
        }
    }
    for (change, found) in found {
        assert!(found * 100 >= PICTURES * 95, "{change}: {found} of {PICTURES}");
    }
}

#[test]
fn what_is_no_picture_is_counted_and_a_bomb_is_not_unpacked() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.path().join(name), bytes).expect("written");
    };
    let picture = png(&draw(1));
    write("a.png", &picture);
    write("b.jpg", &jpeg(&draw(2), 90));
    write("c.png", &picture[..picture.len() / 2]);
    write("d.txt", b"not a picture");
    write("e.png", b"");
    // A header that promises 60,000 by 60,000 pixels.
    let mut bomb = picture.clone();
    bomb[16..24].copy_from_slice(&[0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60]);
    let sum = crc(&bomb[12..29]);
    bomb[29..33].copy_from_slice(&sum.to_be_bytes());
    write("f.png", &bomb);

    let shingler = Shingler::new(Shingles::Picture);
    let mut names = Vec::new();
    let inputs = [folder.path().to_owned()];
    let visit = |id: &str, _| -> Result<()> {
        names.push(id.to_owned());
        Ok(())
    };
    let lenient = Tolerance { max_bad: 1.0, ..Tolerance::default() };
    let summary = for_each_picture(&inputs, &shingler, &lenient, visit, |_| ()).expect("read");
    assert_eq!(names, ["a.png", "b.jpg"]);
    assert_eq!(summary.count(Problem::NotAPicture), 4);
    let strict = for_each_picture(
        &inputs,
        &shingler,
        &Tolerance { strict: true, ..lenient },
        |_, _| Ok(()),
        |_| (),
    );
    let error: Error = strict.expect_err("c.png is cut off");
    assert!(error.to_string().contains("c.png: not a picture"), "{error}");
}

/// The checksum of a part of a PNG file, bit by bit.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 }
        })
    })
}
