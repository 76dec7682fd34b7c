//! Each hash against the vectors that its authors, and those who test hashes, have
//! published: no number here was computed by this library.

use tamis::hash::{Algorithm, KeyHash, murmur3};

fn xxh3(key: &[u8], seed: u64) -> u64 {
    KeyHash::new(seed).bytes(key)
}

fn farm(key: &[u8], seed: u64) -> u64 {
    KeyHash::with_algorithm(Algorithm::FarmHash64, seed).bytes(key)
}

// What SMHasher prints as verification value: the keys 0, 1, 2 .. of 0 to 255 bytes are
// hashed with the seeds 256 to 1, and all the results once more with seed 0.
// aappleby/smhasher, KeysetTest.cpp; fwojcik/smhasher3, hashes/Hashinfo.cpp.
fn verification<const N: usize>(hash: impl Fn(&[u8], u32) -> [u8; N]) -> u32 {
    let key: Vec<u8> = (0..255).collect();
    let cases = (0..=255).zip((1..=256).rev());
    let all: Vec<u8> = cases.flat_map(|(n, seed)| hash(&key[..n], seed)).collect();
    assert_eq!(all.len(), 256 * N);
    let last = hash(&all, 0);
    u32::from_le_bytes([last[0], last[1], last[2], last[3]])
}

#[test]
fn xxh3_agrees_with_the_published_sanity_vectors() {
    const PRIME32: u64 = 2_654_435_761;
    const PRIME64: u64 = 11_400_714_785_074_694_797;
    // Length, result with seed 0, result with seed PRIME64.
    // Cyan4973/xxHash, cli/xsum_sanity_check.c, XSUM_XXH3_testdata.
    const VECTORS: [(usize, u64, u64); 14] = [
        (0, 0x2D06_8005_38D3_94C2, 0xA8A6_B918_B2F0_364A),
        (1, 0xC44B_DFF4_074E_ECDB, 0x032B_E332_DD76_6EF8),
        (6, 0x27B5_6A84_CD2D_7325, 0x8458_9C11_6AB5_9AB9),
        (12, 0xA713_DAF0_DFBB_77E7, 0xE730_3E1B_2336_DE0E),
        (24, 0xA3FE_70BF_9D35_10EB, 0x850E_80FC_35BD_D690),
        (48, 0x397D_A259_ECBA_1F11, 0xADC2_CBAA_44AC_C616),
        (80, 0xBCDE_FBBB_2C47_C90A, 0xC6DD_0CB6_9953_2E73),
        (195, 0xCD94_217E_E362_EC3A, 0xBA68_003D_370C_B3D9),
        (403, 0xCDEB_804D_65C6_DEA4, 0x6259_F6EC_FD64_43FD),
        (512, 0x617E_4959_9013_CB6B, 0x3CE4_57DE_14C2_7708),
        (2_048, 0xDD59_E2C3_A5F0_38E0, 0x66F8_1670_669A_BABC),
        (2_099, 0xC6B9_D9B3_FC9A_C765, 0x184F_3168_4366_3974),
        (2_240, 0x6E73_A905_39CF_2948, 0x757B_A848_7D1B_5247),
        (2_367, 0xCB37_AEB9_E5D3_61ED, 0xD2DB_3415_B942_B42A),
    ];
    // The bytes are the high ones of PRIME32 * PRIME64^i.
    let mut state = PRIME32;
    let mut data = Vec::new();
    for _ in 0..2_367 {
        data.push(state.to_be_bytes()[0]);
        state = state.wrapping_mul(PRIME64);
    }
    for (length, unseeded, seeded) in VECTORS {
        assert_eq!(xxh3(&data[..length], 0), unseeded, "{length} bytes, seed 0");
        assert_eq!(xxh3(&data[..length], PRIME64), seeded, "{length} bytes, seed PRIME64");
    }
}

#[test]
fn integers_agree_with_the_formula_of_the_format() {
    // rapidhash V3 of eight bytes, as docs/format.md has it, computed in Python.
    const VECTORS: [(u64, u64, u64); 5] = [
        (0, 0, 0x9EFC_171A_EBCE_A1F3),
        (1, 0, 0xBEC1_7830_9F44_AFBC),
        (7, 2026, 0x5D13_A198_5068_10B6),
        (u64::MAX, 1, 0xB081_2EC0_DD5B_0C0A),
        (0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210, 0x8DD2_3DAF_4CFC_1E45),
    ];
    for (key, seed, hash) in VECTORS {
        assert_eq!(KeyHash::new(seed).integer(key), hash, "{key:#x}, seed {seed:#x}");
    }
}

#[test]
fn xxh3_has_the_verification_value_of_smhasher() {
    // fwojcik/smhasher3, hashes/xxhash.cpp, XXH3_64: in the canonical order, big-endian.
    let value = verification(|key, seed| xxh3(key, seed.into()).to_be_bytes());
    assert_eq!(value, 0x1AAE_E62C);
}

#[test]
fn farmhash_agrees_with_the_self_test_of_its_authors() {
    const K0: u64 = 0xC3A5_C85C_97CB_3127;
    const C1: u32 = 0xCC9E_2D51;
    // Offset, length, high and low half of Hash64WithSeed.
    // google/farmhash, src/farmhash.cc, farmhashnaTest: the second of each three pairs.
    // Lengths of 128 and 2^20 matter: ports have taken a step too many at multiples of 64.
    const VECTORS: [(u32, usize, u32, u32); 14] = [
        (0, 0, 3_277_735_313, 2_681_724_312),
        (1, 1, 2_603_993_599, 921_001_710),
        (9, 3, 161_451_183, 3_943_596_029),
        (16, 4, 3_379_021_470, 2_557_197_665),
        (64, 8, 1_898_235_244, 1_402_319_660),
        (256, 16, 237_495_366, 540_224_401),
        (289, 17, 1_596_489_240, 1_562_872_448),
        (1_024, 32, 3_854_939_912, 1_413_396_341),
        (1_089, 33, 3_254_014_218, 429_095_991),
        (4_096, 64, 1_688_445_808, 701_920_051),
        (4_225, 65, 883_382_081, 1_005_815_394),
        (16_384, 128, 1_392_137_718, 1_240_000_030),
        (0, 1_016_994, 1_045_540_427, 3_194_420_196),
        (0, 1_048_576, 4_144_237_690, 3_350_490_823),
    ];
    // The data and the seeds of the self-test.
    let (mut a, mut b) = (9u64, 777u64);
    let mut data = Vec::new();
    for i in 0..1 << 20 {
        a = a.wrapping_add(b);
        b = b.wrapping_add(a);
        a = (a ^ (a >> 41)).wrapping_mul(K0);
        b = (b ^ (b >> 41)).wrapping_mul(K0).wrapping_add(i);
        data.push((b >> 37) as u8);
    }
    let thrice = |start| {
        (0..3).fold(start, |state: u32, _| {
            let state = state.wrapping_mul(C1);
            state ^ (state >> 17)
        })
    };
    for (offset, length, high, low) in VECTORS {
        let seed = thrice(thrice(u32::MAX).wrapping_add(offset));
        let key = &data[offset as usize..][..length];
        let expected = u64::from(high) << 32 | u64::from(low);
        assert_eq!(farm(key, seed.into()), expected, "{length} bytes from {offset}");
    }
}

#[test]
fn farmhash_uses_all_64_bits_of_its_seed() {
    // Key, seed, result: from the reference in C++, printed by
    // dynatrace-oss/hash4j, reference-implementations/farmhash_na/out.txt.
    const VECTORS: [(&[u8], u64, u64); 6] = [
        (b"", 0x28E8_37C5_CB41_DC3E, 0xBBEC_0B65_6CDB_F2C4),
        (b"\x25", 0x944A_A62C_65F6_A8F1, 0x0CF0_A19F_CCDD_3D38),
        (b"\x24\x36", 0x31F9_26B2_21B7_A011, 0x55C6_2617_3B27_6AF7),
        (b"\xF7\x73\x64\x74", 0x9FB3_861B_BEFE_68FF, 0x4A06_038A_D017_5937),
        (b"\x76\xD2\x34\x71\x93", 0x9BDC_433D_D86B_BAFB, 0xA76C_F38D_05B7_60E0),
        (b"\x3B\xCC\xCB\xC8\x40\xAA\xFA\x75", 0x245A_DFC1_D72B_8828, 0x7681_DCA0_48E1_E60D),
    ];
    for (key, seed, expected) in VECTORS {
        assert_eq!(farm(key, seed), expected, "{key:02x?} with seed {seed:#x}");
    }
}

#[test]
fn farmhash_has_the_verification_value_of_smhasher() {
    // fwojcik/smhasher3, hashes/farmhash.cpp, FarmHash_64__NA; the same number stands
    // for FarmHash64 in rurban/smhasher, main.cpp.
    let value = verification(|key, seed| farm(key, seed.into()).to_le_bytes());
    assert_eq!(value, 0xEBC4_A679);
}

#[test]
fn murmur3_agrees_with_the_vectors_of_other_libraries() {
    const VECTORS: [(&[u8], u32, u32); 22] = [
        // hajimes/mmh3, tests/test_mmh3.py.
        (b"", 0, 0),
        (b"", 1, 0x514E_28B7),
        (b"", 0xFFFF_FFFF, 0x81F1_6F39),
        (b"\xFF\xFF\xFF\xFF", 0, 0x7629_3B50),
        (b"\x21\x43\x65\x87", 0, 0xF55B_516B),
        (b"\x21\x43\x65\x87", 0x5082_EDEE, 0x2362_F9DE),
        (b"\x21\x43\x65", 0, 0x7E4A_8634),
        (b"\x21\x43", 0, 0xA0F7_B07A),
        (b"\x21", 0, 0x7266_1CF4),
        (b"\0\0\0\0", 0, 0x2362_F9DE),
        (b"abc", 0, 0xB3DD_93FA),
        (b"abcd", 0x9747_B28C, 0xF047_8627),
        (b"Hello, world!", 0x9747_B28C, 0x2488_4CBA),
        (b"The quick brown fox jumps over the lazy dog", 0x9747_B28C, 0x2FA8_26CD),
        (&[b'a'; 256], 0x9747_B28C, 0x3740_5BDC),
        // bitcoin/bitcoin, src/test/hash_tests.cpp.
        (b"", 0xFBA4_C795, 0x6A39_6F08),
        (b"\x00", 0xFBA4_C795, 0xEA3F_0B17),
        (b"\xFF", 0, 0xFD6C_F10D),
        (b"\x00\x11\x22\x33\x44", 0, 0xE230_1FA8),
        (b"\x00\x11\x22\x33\x44\x55", 0, 0xFC2E_4A15),
        (b"\x00\x11\x22\x33\x44\x55\x66", 0, 0xB074_502C),
        (b"\x00\x11\x22\x33\x44\x55\x66\x77\x88", 0, 0xB469_8DEF),
    ];
    for (key, seed, expected) in VECTORS {
        assert_eq!(murmur3::hash32(key, seed), expected, "{key:02x?} with seed {seed:#x}");
    }
}

#[test]
fn murmur3_has_the_verification_value_of_smhasher() {
    // aappleby/smhasher, src/main.cpp, Murmur3A; fwojcik/smhasher3, hashes/murmurhash3.cpp.
    let value = verification(|key, seed| murmur3::hash32(key, seed).to_le_bytes());
    assert_eq!(value, 0xB0F5_7EE3);
}

#[test]
fn a_key_joins_the_murmur3_of_its_seed_and_of_the_next() {
    // The halves are vectors from above: of no bytes, with seeds 0, 1 and 2^32 - 1.
    let empty = |seed| KeyHash::with_algorithm(Algorithm::Murmur3, seed).bytes(b"");
    assert_eq!(empty(0), 0x0000_0000_514E_28B7);
    assert_eq!(empty(0xFFFF_FFFF), 0x81F1_6F39_0000_0000);
    assert_eq!(empty(0x1_0000_0000), empty(0));
}
