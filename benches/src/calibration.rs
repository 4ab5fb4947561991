//! Whether relevance is a probability: of the first hits with a given relevance, how many were
//! right.

const BINS: usize = 10;
/// The relevance from which a hit counts as certain.
const SURE: f64 = 0.75;

/// First hits, grouped by relevance.
#[derive(Debug, Default)]
pub(crate) struct Calibration {
    bins: [Bin; BINS],
    questions: f64,
    sure: f64,
    sure_and_right: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    count: f64,
    relevance: f64,
    right: f64,
}

impl Calibration {
    /// Adds a question; `first` is the relevance of its first hit and whether
    /// that hit was right.
    pub(crate) fn add(&mut self, first: Option<(f64, bool)>) {
        self.questions += 1.0;
        let Some((relevance, is_right)) = first else {
            return;
        };
        let right = f64::from(u8::from(is_right));
        let bin = &mut self.bins[((relevance * BINS as f64) as usize).min(BINS - 1)];
        bin.count += 1.0;
        bin.relevance += relevance;
        bin.right += right;
        if relevance >= SURE {
            self.sure += 1.0;
            self.sure_and_right += right;
        }
    }

    pub(crate) fn print(&self) {
        let answered: f64 = self.bins.iter().map(|bin| bin.count).sum();
        if answered == 0.0 {
            return;
        }
        println!(
            "calibration of the first hit over {} questions",
            self.questions
        );
        println!(
            "{:>12} {:>6} {:>10} {:>7}",
            "relevance", "n", "on average", "right"
        );
        let mut error = 0.0;
        for (number, bin) in self.bins.iter().enumerate() {
            if bin.count == 0.0 {
                continue;
            }
            let from = number as f64 / BINS as f64;
            println!(
                "{:>5.1} to {:.1} {:>6} {:>10.3} {:>7.3}",
                from,
                from + 1.0 / BINS as f64,
                bin.count,
                bin.relevance / bin.count,
                bin.right / bin.count
            );
            error += (bin.relevance - bin.right).abs() / answered;
        }
        println!(
            "expected calibration error {error:.3}; at least {SURE}: {:.3} right, covering {:.3} of the questions",
            self.sure_and_right / self.sure.max(1.0),
            self.sure / self.questions
        );
    }
}
