//! What must not be stored: private tags, secrets, personal data; and the type
//! that proves a text was filtered.
