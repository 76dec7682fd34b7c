//! FTRL-Proximal logistic regression as the mail server Stalwart sets it up (the method is that of
//! "Ad Click Prediction: a View from the Trenches", 2013).
//!
//! With the gradient `g = (p - y) x` of each feature, the sum `n` of its squares and
//!
//! ```text
//! z += g - (sqrt(n + g^2) - sqrt(n)) / alpha w
//! w  = 0 if |z| <= l1, else -(z - sign(z) l1) / ((beta + sqrt(n)) / alpha + l2)
//! ```
//!
//! The defaults of Stalwart's documentation (0.15): 2^20 parameters with signed hashing, alpha 2,
//! beta 1, l1 0.001, l2 0.0001, counts as ln(1 + count), vectors of length 1, and spam from a
//! probability of 0.7 on. Stalwart learns twice a day, replays older mail of the smaller class and
//! waits for 100 messages of each class. That is left out: this model learns each message once.

use super::features::{self, Feature};
use super::{Model, sigmoid};

const ALPHA: f32 = 2.0;
const BETA: f32 = 1.0;
const L1: f32 = 0.001;
const L2: f32 = 0.0001;

/// Parameters, as a power of two.
const BITS: u32 = 20;

/// The state of one parameter.
#[derive(Debug, Clone, Copy, Default)]
struct Parameter {
    z: f32,
    n: f32,
}

impl Parameter {
    fn weight(self) -> f32 {
        if self.z.abs() <= L1 {
            return 0.0;
        }
        (self.z.signum() * L1 - self.z) / ((BETA + self.n.sqrt()) / ALPHA + L2)
    }

    fn descend(&mut self, gradient: f32) {
        let square = gradient * gradient;
        let sigma = ((self.n + square).sqrt() - self.n.sqrt()) / ALPHA;
        self.z += gradient - sigma * self.weight();
        self.n += square;
    }
}

/// The model.
pub(super) struct Ftrl {
    parameters: Vec<Parameter>,
    bias: Parameter,
}

impl Ftrl {
    pub(super) fn new() -> Self {
        Self { parameters: vec![Parameter::default(); 1 << BITS], bias: Parameter::default() }
    }
}

impl Model for Ftrl {
    type Vector = Vec<Feature>;
    const NAME: &'static str = "FTRL regression";
    const CUT: f64 = 0.7;

    fn read(raw: &[u8]) -> Vec<Feature> {
        features::read(raw, BITS)
    }

    fn score(&self, vector: &Vec<Feature>) -> f64 {
        let dot = |f: &Feature| f64::from(self.parameters[f.place].weight() * f.value);
        vector.iter().map(dot).sum::<f64>() + f64::from(self.bias.weight())
    }

    fn learn(&mut self, vector: &Vec<Feature>, is_spam: bool) {
        let error = (sigmoid(self.score(vector)) - f64::from(u8::from(is_spam))) as f32;
        for feature in vector {
            self.parameters[feature.place].descend(error * feature.value);
        }
        self.bias.descend(error);
    }
}
