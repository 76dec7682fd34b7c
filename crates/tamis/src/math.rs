//! Functions of real numbers where there is no `std`.

/// Those that are used here, by the names that `std` gives them.
pub(crate) trait Float {
    fn ln(self) -> Self;
    fn ln_1p(self) -> Self;
    fn exp_m1(self) -> Self;
    fn exp(self) -> Self;
    fn exp2(self) -> Self;
    fn log2(self) -> Self;
    fn log10(self) -> Self;
    fn sqrt(self) -> Self;
    fn powf(self, exponent: f64) -> Self;
    fn powi(self, exponent: i32) -> Self;
    fn ceil(self) -> Self;
    fn floor(self) -> Self;
    fn round(self) -> Self;
}

impl Float for f64 {
    fn ln(self) -> Self {
        libm::log(self)
    }
    fn ln_1p(self) -> Self {
        libm::log1p(self)
    }
    fn exp_m1(self) -> Self {
        libm::expm1(self)
    }
    fn exp(self) -> Self {
        libm::exp(self)
    }
    fn exp2(self) -> Self {
        libm::exp2(self)
    }
    fn log2(self) -> Self {
        libm::log2(self)
    }
    fn log10(self) -> Self {
        libm::log10(self)
    }
    fn sqrt(self) -> Self {
        libm::sqrt(self)
    }
    fn powf(self, exponent: f64) -> Self {
        libm::pow(self, exponent)
    }
    fn powi(self, exponent: i32) -> Self {
        libm::pow(self, f64::from(exponent))
    }
    fn ceil(self) -> Self {
        libm::ceil(self)
    }
    fn floor(self) -> Self {
        libm::floor(self)
    }
    fn round(self) -> Self {
        libm::round(self)
    }
}
