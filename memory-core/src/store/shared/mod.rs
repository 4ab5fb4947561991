//! What stores that share records keep about each other, and the order on which they agree.

pub(crate) mod alias;
pub(crate) mod record_order;
pub(crate) mod remote_deletes;
pub(crate) mod remote_order_scope;
pub(super) mod session_order;
pub(crate) mod sharing;
pub(crate) mod sharing_rows;
pub(crate) mod store_key;
