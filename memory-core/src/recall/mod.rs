//! Finds memories and shows no more of them than helps.

pub(crate) mod asked;
#[cfg(test)]
mod damage_test;
pub(crate) mod learned;
pub(crate) mod ranking;
pub(crate) mod shown;
#[cfg(test)]
mod weights_test;
