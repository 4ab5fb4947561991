//! Recognises keys by their own format, wherever they occur: prefixes of well-known
//! issuers, JSON web tokens, private key blocks, and passwords in addresses.

use super::context::{Class, Surroundings, without_line_number};
use super::shape::{LOOK, is_name_of_secret, is_placeholder, looks_random};
use super::words::run;

/// A range to mask, as start and end in bytes.
pub(super) type Range = (usize, usize);

/// The characters of a key after its prefix.
pub(super) use super::context::Class as Body;

/// A key with a fixed prefix.
pub(super) struct Format {
    /// The prefix, case-sensitive.
    pub(super) prefix: &'static str,
    /// The minimum number of characters after the prefix.
    pub(super) least: usize,
    /// The class of these characters.
    pub(super) body: Body,
    /// Whether the prefix is too ordinary to be trusted on its own.
    pub(super) must_look_random: bool,
}

const fn format(prefix: &'static str, least: usize, body: Body) -> Format {
    Format {
        prefix,
        least,
        body,
        must_look_random: false,
    }
}

const fn doubtful(prefix: &'static str, least: usize, body: Body) -> Format {
    Format {
        prefix,
        least,
        body,
        must_look_random: true,
    }
}

/// Prefixes as documented by their issuers. The first match is used, so the longer of two
/// comes first.
pub(super) const FORMATS: &[Format] = &[
    // Amazon Web Services: access key ids.
    format("AKIA", 16, Body::Upper),
    format("ASIA", 16, Body::Upper),
    format("ABIA", 16, Body::Upper),
    format("ACCA", 16, Body::Upper),
    format("bedrock-api-key-", 20, Body::Wide),
    doubtful("ABSK", 80, Body::Wide),
    doubtful("IQoJb3JpZ2luX2Vj", 100, Body::Wide),
    // Google: API keys, OAuth secrets and tokens.
    format("AIza", 35, Body::Word),
    format("GOCSPX-", 20, Body::Word),
    format("ya29.", 20, Body::Word),
    format("1//0", 30, Body::Word),
    doubtful("AQ.Ab", 30, Body::Word),
    // GitHub and GitLab.
    format("ghp_", 36, Body::Alphanumeric),
    format("gho_", 36, Body::Alphanumeric),
    format("ghu_", 36, Body::Alphanumeric),
    format("ghs_", 36, Body::Wide),
    format("ghr_", 36, Body::Alphanumeric),
    format("github_pat_", 22, Body::Word),
    format("glpat-", 20, Body::Wide),
    format("gldt-", 20, Body::Word),
    format("glrt-", 20, Body::Word),
    format("glptt-", 20, Body::Word),
    format("glcbt-", 20, Body::Word),
    format("glsoat-", 20, Body::Word),
    format("glft-", 20, Body::Word),
    format("glimt-", 20, Body::Word),
    format("glagent-", 20, Body::Word),
    format("gloas-", 20, Body::Word),
    format("glffct-", 20, Body::Word),
    format("glwt-", 20, Body::Word),
    format("glrtr-", 20, Body::Word),
    format("GR1348941", 20, Body::Word),
    format("ATATT3", 40, Body::Wide),
    format("ATCTT3", 40, Body::Wide),
    format("ATBB", 32, Body::Alphanumeric),
    format("BBDC-", 40, Body::Wide),
    // Chat services.
    doubtful("mfa.", 80, Body::Word),
    format("xoxb-", 10, Body::Word),
    format("xoxp-", 10, Body::Word),
    format("xoxa-", 10, Body::Word),
    format("xoxr-", 10, Body::Word),
    format("xoxs-", 10, Body::Word),
    format("xoxc-", 10, Body::Word),
    format("xoxd-", 10, Body::Wide),
    format("xoxe.", 10, Body::Wide),
    format("xoxe-", 40, Body::Word),
    format("xapp-", 10, Body::Word),
    format("hooks.slack.com/services/", 20, Body::Wide),
    format("hooks.slack-gov.com/services/", 20, Body::Wide),
    format("hooks.slack.com/workflows/", 20, Body::Wide),
    format("hooks.slack.com/triggers/", 20, Body::Wide),
    format("discord.com/api/webhooks/", 40, Body::Wide),
    format("discordapp.com/api/webhooks/", 40, Body::Wide),
    format("webhook.office.com/webhookb2/", 36, Body::Path),
    format("outlook.office.com/webhook/", 36, Body::Path),
    format("discord.com/api/v10/webhooks/", 40, Body::Wide),
    format("discord.com/api/v9/webhooks/", 40, Body::Wide),
    format("hooks.zapier.com/hooks/catch/", 8, Body::Wide),
    format("hook.eu1.make.com/", 20, Body::Word),
    format("hook.eu2.make.com/", 20, Body::Word),
    format("hook.us1.make.com/", 20, Body::Word),
    format("hook.us2.make.com/", 20, Body::Word),
    format("open-apis/bot/v2/hook/", 36, Body::Word),
    format(
        "qyapi.weixin.qq.com/cgi-bin/webhook/send?key=",
        36,
        Body::Word,
    ),
    format("maker.ifttt.com/trigger/", 30, Body::Wide),
    format("events.pagerduty.com/integration/", 32, Body::Alphanumeric),
    doubtful("EAA", 100, Body::Alphanumeric),
    doubtful("AAAAAAAAAAAAAAAAAAAA", 50, Body::Connection),
    // Payment and commerce.
    format("sk_live_", 16, Body::Alphanumeric),
    format("sk_test_", 16, Body::Alphanumeric),
    format("rk_live_", 16, Body::Alphanumeric),
    format("rk_test_", 16, Body::Alphanumeric),
    format("sk_prod_", 16, Body::Alphanumeric),
    format("rk_prod_", 16, Body::Alphanumeric),
    format("whsec_", 24, Body::Wide),
    format("ek_live_", 24, Body::Alphanumeric),
    format("ek_test_", 24, Body::Alphanumeric),
    format("sq0atp-", 20, Body::Word),
    format("sq0csp-", 30, Body::Word),
    format("shpat_", 32, Body::Hex),
    format("shpss_", 32, Body::Hex),
    format("shpca_", 32, Body::Hex),
    format("shppa_", 32, Body::Hex),
    format("shptka_", 32, Body::Hex),
    format("access_token$production$", 20, Body::Wide),
    format("access-production-", 32, Body::Word),
    format("access-development-", 32, Body::Word),
    format("access-sandbox-", 32, Body::Word),
    format("APP_USR-", 40, Body::Word),
    format("FLWSECK-", 32, Body::Word),
    format("FLWSECK_TEST-", 32, Body::Word),
    doubtful("EZAK", 54, Body::Alphanumeric),
    doubtful("EZTK", 54, Body::Alphanumeric),
    format("duffel_live_", 40, Body::Word),
    format("duffel_test_", 40, Body::Word),
    format("shippo_live_", 40, Body::Hex),
    format("shippo_test_", 40, Body::Hex),
    format("live_", 35, Body::Hex),
    // Language models.
    format("sk-ant-", 20, Body::Word),
    format("sk-or-v1-", 32, Body::Word),
    format("sk-proj-", 20, Body::Word),
    format("sk-svcacct-", 20, Body::Word),
    format("sk-admin-", 20, Body::Word),
    doubtful("sk-", 20, Body::Word),
    doubtful("sk_", 32, Body::Alphanumeric),
    doubtful("hf_", 30, Body::Alphanumeric),
    format("gsk_", 40, Body::Alphanumeric),
    format("xai-", 40, Body::Word),
    format("pplx-", 40, Body::Alphanumeric),
    doubtful("r8_", 30, Body::Alphanumeric),
    format("lsv2_pt_", 32, Body::Word),
    format("lsv2_sk_", 32, Body::Word),
    format("pcsk_", 30, Body::Word),
    doubtful("tvly-", 20, Body::Word),
    format("nvapi-", 40, Body::Word),
    doubtful("api_org_", 30, Body::Alphanumeric),
    doubtful("csk-", 40, Body::Alphanumeric),
    doubtful("fw_", 22, Body::Alphanumeric),
    doubtful("jina_", 50, Body::Alphanumeric),
    doubtful("pa-", 40, Body::Word),
    doubtful("tgp_v1_", 40, Body::Word),
    // Package registries and builds.
    doubtful("npm_", 36, Body::Alphanumeric),
    format("pypi-", 50, Body::Word),
    format("rubygems_", 40, Body::Hex),
    doubtful("cio", 32, Body::Alphanumeric),
    format("dckr_pat_", 20, Body::Word),
    format("dckr_oat_", 20, Body::Word),
    doubtful("oy2", 43, Body::Alphanumeric),
    format("CCIPAT_", 30, Body::Word),
    format("bkua_", 30, Body::Hex),
    format("sonar_", 30, Body::Hex),
    format("sqp_", 40, Body::Hex),
    format("squ_", 40, Body::Hex),
    format("sqa_", 40, Body::Hex),
    format("AKCp", 60, Body::Alphanumeric),
    format("cmVmdGtu", 50, Body::Alphanumeric),
    // Private keys, logins of registries and addresses of databases in base64, as in the
    // settings and secrets of Kubernetes.
    format("LS0tLS1CRUdJTiBQUk", 40, Body::Wide),
    format("LS0tLS1CRUdJTiBSU0EgUFJJ", 40, Body::Wide),
    format("LS0tLS1CRUdJTiBFQyBQUk", 40, Body::Wide),
    format("LS0tLS1CRUdJTiBEU0EgUFJJ", 40, Body::Wide),
    format("LS0tLS1CRUdJTiBPUEVOU1NIIFBSS", 40, Body::Wide),
    format("LS0tLS1CRUdJTiBFTkNSWVBURUQgUFJJ", 40, Body::Wide),
    format("LS0tLS1CRUdJTiBQR1AgUFJJ", 40, Body::Wide),
    format("eyJhdXRocyI6", 20, Body::Wide),
    format("ewoJImF1dGhzIj", 20, Body::Wide),
    format("ewogICJhdXRocyI6", 20, Body::Wide),
    format("cG9zdGdyZXM6Ly", 16, Body::Wide),
    format("cG9zdGdyZXNxbDovL", 16, Body::Wide),
    format("bXlzcWw6Ly", 16, Body::Wide),
    format("bW9uZ29kYjovL", 16, Body::Wide),
    format("bW9uZ29kYitzcnY6Ly", 16, Body::Wide),
    format("cmVkaXM6Ly", 16, Body::Wide),
    format("YW1xcDovL", 16, Body::Wide),
    format("CLOJARS_", 60, Body::Alphanumeric),
    format("snyk_uat.", 40, Body::Wide),
    doubtful("pnu_", 36, Body::Alphanumeric),
    doubtful("pnb_", 36, Body::Alphanumeric),
    format("signkey-prod-", 32, Body::Hex),
    format("signkey-test-", 32, Body::Hex),
    doubtful("tr_prod_", 20, Body::Alphanumeric),
    doubtful("tr_dev_", 20, Body::Alphanumeric),
    // Mail and telephony.
    doubtful("SG.", 40, Body::Wide),
    format("SK0", 31, Body::Hex),
    format("SK1", 31, Body::Hex),
    format("SK2", 31, Body::Hex),
    format("SK3", 31, Body::Hex),
    format("SK4", 31, Body::Hex),
    format("SK5", 31, Body::Hex),
    format("SK6", 31, Body::Hex),
    format("SK7", 31, Body::Hex),
    format("SK8", 31, Body::Hex),
    format("SK9", 31, Body::Hex),
    format("SKa", 31, Body::Hex),
    format("SKb", 31, Body::Hex),
    format("SKc", 31, Body::Hex),
    format("SKd", 31, Body::Hex),
    format("SKe", 31, Body::Hex),
    format("SKf", 31, Body::Hex),
    doubtful("key-", 32, Body::Hex),
    format("xkeysib-", 40, Body::Word),
    // Hosting, data, observability.
    format("dop_v1_", 40, Body::Hex),
    format("doo_v1_", 40, Body::Hex),
    format("dor_v1_", 40, Body::Hex),
    format("HRKU-", 30, Body::Word),
    format("nfp_", 32, Body::Alphanumeric),
    format("fo1_", 40, Body::Word),
    format("fm1r_", 60, Body::Wide),
    format("fm1a_", 60, Body::Wide),
    format("fm2_", 60, Body::Wide),
    format("v1.0-", 150, Body::Word),
    format("vercel_blob_rw_", 30, Body::Word),
    doubtful("napi_", 60, Body::Alphanumeric),
    doubtful("rnd_", 28, Body::Alphanumeric),
    format("pul-", 40, Body::Hex),
    format("dt0c01.", 60, Body::Wide),
    format("dt0s01.", 60, Body::Wide),
    format("eyJrIjoi", 60, Body::Connection),
    doubtful("hcaik_", 50, Body::Alphanumeric),
    doubtful("aio_", 28, Body::Alphanumeric),
    doubtful("pat", 70, Body::Wide),
    doubtful("rdme_", 60, Body::Alphanumeric),
    doubtful("re_", 30, Body::Word),
    doubtful("tfp_", 50, Body::Word),
    doubtful("AQVN", 35, Body::Word),
    doubtful("zpka_", 40, Body::Word),
    doubtful("fio-u-", 60, Body::Word),
    format("sbp_", 40, Body::Hex),
    format("e2b_", 40, Body::Hex),
    doubtful("fc-", 32, Body::Hex),
    format("eyJhIjoi", 60, Body::Connection),
    format("sb_secret_", 20, Body::Word),
    format("pscale_tkn_", 30, Body::Wide),
    format("pscale_pw_", 30, Body::Wide),
    format("pscale_oauth_", 30, Body::Wide),
    format("dapi", 32, Body::Hex),
    format("hvs.", 20, Body::Word),
    format("hvb.", 20, Body::Word),
    format("hvr.", 20, Body::Word),
    format("dp.pt.", 40, Body::Alphanumeric),
    format("dp.st.", 40, Body::Wide),
    format("dp.ct.", 40, Body::Alphanumeric),
    format("dp.sa.", 40, Body::Alphanumeric),
    format("dp.scim.", 40, Body::Alphanumeric),
    format("dp.audit.", 40, Body::Alphanumeric),
    format("sha256~", 43, Body::Word),
    format("tk-us-", 40, Body::Word),
    format("API-", 26, Body::Upper),
    doubtful("ico-", 32, Body::Alphanumeric),
    doubtful("sat.", 60, Body::Wide),
    format("glsa_", 32, Body::Word),
    format("glc_eyJ", 32, Body::Wide),
    format("NRAK-", 27, Body::Upper),
    format("NRJS-", 19, Body::Hex),
    format("NRII-", 32, Body::Wide),
    format("sntrys_", 40, Body::Wide),
    format("sntryu_", 40, Body::Hex),
    format("phx_", 40, Body::Alphanumeric),
    format("tskey-", 20, Body::Word),
    format("PMAK-", 50, Body::Word),
    format("CFPAT-", 40, Body::Word),
    doubtful("A3-", 30, Body::Word),
    format("lin_api_", 32, Body::Alphanumeric),
    format("lin_oauth_", 32, Body::Alphanumeric),
    format("LTAI5t", 14, Body::Alphanumeric),
    doubtful("LTAI", 16, Body::Alphanumeric),
    doubtful("pi_", 50, Body::Word),
    doubtful("seti_", 50, Body::Word),
    format("ntn_", 40, Body::Alphanumeric),
    doubtful("secret_", 40, Body::Alphanumeric),
    format("figd_", 32, Body::Word),
    format("ops_eyJ", 40, Body::Wide),
    format("sgp_", 40, Body::Word),
    format("AGE-SECRET-KEY-1", 50, Body::Upper),
    doubtful("EAAA", 40, Body::Word),
    // Stored passwords: crypt and Argon2 strings.
    format("$2a$", 50, Body::Wide),
    format("$2b$", 50, Body::Wide),
    format("$2y$", 50, Body::Wide),
    format("$6$", 40, Body::Wide),
    format("$5$", 40, Body::Wide),
    format("$y$", 40, Body::Wide),
    format("$apr1$", 20, Body::Wide),
];

/// The key of this format that starts at `at`; in a hurry, the test for randomness is
/// skipped.
pub(super) fn key_at(
    around: &Surroundings<'_>,
    at: usize,
    format: &Format,
    hurries: bool,
) -> Option<Range> {
    let text = around.text;
    let bytes = text.as_bytes();
    let begins = match format.must_look_random {
        true => begins_word(bytes, at) || begins_line(bytes, at),
        false => begins_key(bytes, at),
    };
    if !bytes[at..].starts_with(format.prefix.as_bytes()) || !begins {
        return None;
    }
    let body = at + format.prefix.len();
    let end = around.run_end(format.body, body);
    let length = end - body;
    let fits = length >= format.least
        // A longer word in capitals is not a key id; these have 16 characters.
        && !(matches!(format.body, Body::Upper | Body::Hex)
            && bytes.get(end).is_some_and(u8::is_ascii_alphanumeric))
        && !(format.prefix.len() == 4 && format.least == 16 && length != 16);
    if !fits {
        return None;
    }
    if format.must_look_random {
        // `sk-ecdsa-sha2-nistp256@openssh.com` names an algorithm.
        let names_algorithm = text[end..].starts_with("@openssh.com");
        let can_be_base64 = format.prefix.bytes().all(is_of_base64);
        if names_algorithm || can_be_base64 && is_in_base64(&bytes[..at]) {
            return None;
        }
        around.judge(&text[body..end]);
        if !hurries && !looks_random(&text[body..end]) {
            return None;
        }
    }
    // The full stop of a sentence is not part of the key.
    let trimmed = text[at..end].trim_end_matches(['.', '-']).len();
    (trimmed > 0).then_some((at, at + trimmed))
}

/// Whether a text ends in the middle of base64: behind one of its signs and many of its letters.
fn is_in_base64(before: &[u8]) -> bool {
    const MANY: usize = 48;
    let Some(near) = before.len().checked_sub(MANY).map(|from| &before[from..]) else {
        return false;
    };
    let has = |kind: fn(&u8) -> bool| near.iter().any(kind);
    matches!(near.last(), Some(b'+' | b'/'))
        && near.iter().all(|b| is_of_base64(*b))
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
}

/// Whether a word may start at `at`: the end of an escape does not belong to it.
pub(super) fn begins_word(bytes: &[u8], at: usize) -> bool {
    let before = &bytes[..at];
    let of_word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    !before.last().is_some_and(of_word) || ends_escape(before)
}

/// Whether a key of an unmistakable format may start at `at`: the sign of a removed line or of
/// emphasis may stand before it.
pub(super) fn begins_key(bytes: &[u8], at: usize) -> bool {
    let before = &bytes[..at];
    !before.last().is_some_and(u8::is_ascii_alphanumeric) || ends_escape(before)
}

/// Whether only the sign of a diff stands before `at` on its line.
fn begins_line(bytes: &[u8], at: usize) -> bool {
    matches!(&bytes[..at], [.., b'\n', b'-'] | [b'-'])
}

/// Whether an escape ends here: of a line end (`\n`), of a sign in an address, a program or a
/// mail (`%3D`, `\x3d`, `\u003d`, `=3D`), or of a colour (`[32m`).
fn ends_escape(before: &[u8]) -> bool {
    let is_hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    match before {
        [.., b'\\', b'n' | b't' | b'r'] | [.., b'=', b'3', b'D'] => true,
        [.., b'%', a, b] | [.., b'\\', b'x', a, b] if is_hex(&[*a, *b]) => true,
        [.., b'\\', b'u', a, b, c, d] if is_hex(&[*a, *b, *c, *d]) => true,
        [.., b'm'] => {
            const MAX_LENGTH: usize = 16;
            let look = &before[before.len().saturating_sub(MAX_LENGTH)..before.len() - 1];
            let of_colour = |b: &&u8| b.is_ascii_digit() || **b == b';';
            let parameters = look.iter().rev().take_while(of_colour).count();
            parameters > 0 && look[..look.len() - parameters].ends_with(b"[")
        }
        _ => false,
    }
}

/// `eyJ….….…`, a JSON web token, signed or encrypted.
pub(super) fn web_token_at(text: &str, at: usize) -> Option<Range> {
    let bytes = text.as_bytes();
    if !bytes[at..].starts_with(b"eyJ") || !begins_word(bytes, at) {
        return None;
    }
    let part = |from: usize| run(&bytes[from..], |b| Class::Word.accepts(b));
    let mut end = at + part(at);
    if end - at < 12 {
        return None;
    }
    let mut parts = 1;
    while bytes.get(end) == Some(&b'.') && parts < 5 {
        let length = part(end + 1);
        if length < 2 {
            break;
        }
        end += 1 + length;
        parts += 1;
    }
    (parts >= 2).then_some((at, end))
}

/// A private key from its BEGIN line to its END line or, if that is missing, to the end of
/// the text. A BEGIN line without a key after it (in a program that searches for one) is
/// left alone.
pub(super) fn private_key_at(text: &str, at: usize) -> Option<Range> {
    const BEGIN: &str = "-----BEGIN";
    const END: &str = "-----END";
    let label = text[at..].strip_prefix(BEGIN)?;
    let label = &label[..super::shape::head(label, 64).find("-----")?];
    // In an address, blanks are written as `%20` or `+`.
    let named = label.replace("%20", " ").replace('+', " ");
    if !(named.ends_with(" PRIVATE KEY") || named.ends_with(" PRIVATE KEY BLOCK")) {
        return None;
    }
    let body = at + BEGIN.len() + label.len() + 5;
    if !key_material_follows(&text[body..]) {
        return None;
    }
    let end = text[body..].find(END).map_or(text.len(), |offset| {
        let close = body + offset + END.len();
        let tail = super::shape::head(&text[close..], 64);
        tail.find("-----")
            .map_or(close, |length| close + length + 5)
    });
    Some((at, end))
}

fn key_material_follows(rest: &str) -> bool {
    const LOOK_AT: usize = 800;
    const MAX_LINES: usize = 8;
    starts_with_key_material(rest.as_bytes())
        || has_key_material(super::shape::head(rest, NEAR))
        || super::shape::head(rest, LOOK_AT)
            .split('\n')
            .flat_map(|line| line.split("\\n"))
            .skip(1)
            .take(MAX_LINES)
            .take_while(|line| !line.contains("-----END"))
            .any(ends_with_key_material)
}

/// Whether key material comes next, apart from line ends, also escaped ones, quotes of a
/// literal that spans lines, and what a comment, a quotation or a diff puts before a line.
fn starts_with_key_material(rest: &[u8]) -> bool {
    let mut here = 0;
    let mut is_on_next_line = false;
    while let Some(byte) = rest.get(here).filter(|_| here < 200) {
        let escape = *byte == b'\\' && rest.get(here + 1).is_some_and(|b| b"nrt\\".contains(b));
        is_on_next_line |= escape || *byte == b'\n';
        if escape {
            here += 2;
        } else if let Some(end) = [b"-->".as_slice(), b"*/"]
            .iter()
            .find(|end| rest[here..].starts_with(end))
        {
            here += end.len();
        } else if byte.is_ascii_whitespace()
            || b"\"'+,>|".contains(byte)
            || is_on_next_line && b"-#*/;<!".contains(byte)
        {
            here += 1;
        } else {
            break;
        }
    }
    let material = run(&rest[here..], is_of_base64);
    let line_ends = matches!(
        rest.get(here + material),
        None | Some(b'\n' | b'\r' | b'\\')
    );
    let header = [
        b"Proc-Type".as_slice(),
        b"Version:",
        b"Comment:",
        b"DEK-Info",
    ]
    .iter()
    .any(|name| rest[here..].starts_with(name));
    header || material >= 24 || (material >= 4 && line_ends)
}

/// How far behind its BEGIN line the first line of a key may lie, in whatever frame it stands.
const NEAR: usize = 120;

/// Whether a text has key material, also if signs or escapes of any kind end its line:
/// `MIIE…$`, `MIIE…<br/>`, `│ MIIE… │`.
fn has_key_material(text: &str) -> bool {
    let before_end = text.split("-----END").next().unwrap_or(text);
    before_end
        .split(|c: char| !c.is_ascii() || !is_of_base64(c as u8))
        .any(ends_with_key_material)
}

/// Whether the last word of a line is key material: programs put a line number, the name of
/// a file or of a service before each line.
fn ends_with_key_material(line: &str) -> bool {
    const MIN: usize = 40;
    let line = line.trim_end_matches(['\r', ' ', '"', '\'', ',', '\\', '+']);
    let word = line.bytes().rev().take_while(|b| is_of_base64(*b)).count();
    let word = &line[line.len() - word..];
    let has = |test: fn(&u8) -> bool| word.as_bytes().iter().any(test);
    word.len() >= MIN
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
        && looks_random(word)
}

fn is_of_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)
}

/// The private part of a PuTTY key, whose `Private-Lines:` ends at `at`.
pub(super) fn putty_key_at(text: &str, at: usize) -> Option<Range> {
    const MAX_COUNT_LENGTH: usize = 16;
    const MIN_LENGTH: usize = 20;
    const MAX_LENGTH: usize = 128;
    let (count, _) = super::shape::head(&text[at..], MAX_COUNT_LENGTH).split_once('\n')?;
    if !count.trim().bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let begin = at + count.len() + 1;
    let mut end = begin;
    while let Some(line) = super::shape::head(&text[end..], MAX_LENGTH)
        .split_inclusive('\n')
        .next()
    {
        let shown = without_line_number(line).trim();
        let is_first = end == begin;
        if shown.len() < if is_first { MIN_LENGTH } else { 1 } || !shown.bytes().all(is_of_base64) {
            break;
        }
        end += line.len();
    }
    let end = begin + text[begin..end].trim_end().len();
    (end > begin).then_some((begin, end))
}

/// The password, or a token in place of the user name, in the address whose `://` is at
/// `at`.
pub(super) fn address_password_at(text: &str, at: usize) -> Option<Range> {
    let begin = at + 3;
    let rest = super::shape::head(&text[begin..], 1024);
    let authority = &rest[..rest
        .find(|c: char| c.is_whitespace() || "/?#\"'`<>\\,;".contains(c))
        .unwrap_or(rest.len())];
    let Some(host) = authority.rfind('@') else {
        let is_web = text[..at].ends_with("http") || text[..at].ends_with("https");
        return unescaped_password(rest, authority.len(), is_web)
            .map(|(from, to)| (begin + from, begin + to));
    };
    let user_info = &authority[..host];
    let (secret_at, secret) = match user_info.find(':') {
        Some(colon) => (colon + 1, &user_info[colon + 1..]),
        None if looks_random(user_info) => (0, user_info),
        None => return None,
    };
    if secret.is_empty()
        || is_placeholder(secret)
        || is_name_of_secret(secret)
        || secret.starts_with('{')
    {
        return None;
    }
    Some((begin + secret_at, begin + host))
}

/// The password of an address in which a sign of it ends the authority too early:
/// `ada:pa#ss@host/x`.
fn unescaped_password(rest: &str, authority: usize, is_web: bool) -> Option<Range> {
    const MAX_LENGTH: usize = 256;
    let name = run(rest.as_bytes(), |b| {
        b.is_ascii_alphanumeric() || b"._%+-".contains(&b)
    });
    if rest.as_bytes().get(name) != Some(&b':') {
        return None;
    }
    let password = name + 1;
    // `host:8080/a@b` and, in addresses of web servers, `host:PORT/@name` are paths.
    let is_port = rest.len() <= authority
        || name >= authority
        || rest[password..authority]
            .bytes()
            .all(|b| b.is_ascii_digit())
        || is_web && rest[authority..].starts_with('/');
    if is_port {
        return None;
    }
    let word = super::shape::head(rest, MAX_LENGTH);
    let word = &word[..word
        .find(|c: char| c.is_whitespace() || "\"'`<>".contains(c))
        .unwrap_or(word.len())];
    let host_at = word.rfind('@').filter(|host| *host > password)?;
    let host = run(&word.as_bytes()[host_at + 1..], |b| {
        b.is_ascii_alphanumeric() || b".-:[]".contains(&b)
    });
    let ends = matches!(
        word.as_bytes().get(host_at + 1 + host),
        None | Some(b'/' | b'?' | b',' | b';' | b')')
    );
    let secret = &word[password..host_at];
    (host > 0 && ends && !is_placeholder(secret)).then_some((password, host_at))
}

/// The secret in a connection string or a signed address whose field name ends at `at`:
/// `AccountKey=`, `SharedAccessKey=`, `sig=`.
pub(super) fn connection_key_at(
    around: &Surroundings<'_>,
    at: usize,
    least: usize,
) -> Option<Range> {
    const ONLY_SECRETS: usize = 40;
    let end = around.run_end(Class::Connection, at);
    let key = &around.text[at..end];
    around.judge(key);
    if key.len() < least || around.text[end..].starts_with('(') {
        return None;
    }
    let start = super::shape::head(key, LOOK);
    let is_key = start.bytes().any(|b| b.is_ascii_alphanumeric())
        && (least >= ONLY_SECRETS
            || looks_random(key)
            || start.contains('%')
            || key.ends_with('=') && start.bytes().any(|b| b.is_ascii_digit()));
    is_key.then_some((at, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_looks_for_a_private_key_holds_none() {
        let text = "if pem.starts_with(\"-----BEGIN PRIVATE KEY-----\") { load(pem) }";
        assert_eq!(private_key_at(text, text.find("-----").unwrap()), None);
    }

    #[test]
    fn unterminated_private_key_ends_with_the_text() {
        let text = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjE\nmore";
        assert_eq!(private_key_at(text, 0), Some((0, text.len())));
    }

    #[test]
    fn a_private_key_is_found_in_comments() {
        const LINES: [&str; 3] = [
            "-----BEGIN PRIVATE KEY-----",
            "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
            "-----END PRIVATE KEY-----",
        ];
        for (before, after) in [("<!-- ", " -->"), ("/* ", " */"), ("# ", ""), ("> ", "")] {
            let text = LINES
                .map(|line| format!("{before}{line}{after}"))
                .join("\n");
            let range = private_key_at(&text, before.len());
            assert_eq!(
                range,
                Some((before.len(), text.len() - after.len())),
                "{text}"
            );
        }
    }

    #[test]
    fn password_of_an_address_ends_at_the_last_at_sign() {
        let text = "postgres://ada:p@ss@db.example/x";
        let (start, end) = address_password_at(text, 8).unwrap();
        assert_eq!(&text[start..end], "p@ss");
    }

    #[test]
    fn address_without_password_or_with_a_placeholder_is_left() {
        for text in [
            "ssh://git@host/x",
            "postgres://u:${PW}@h/x",
            "https://host:8080/a@b",
        ] {
            assert_eq!(
                address_password_at(text, text.find("://").unwrap()),
                None,
                "{text}"
            );
        }
    }
}
