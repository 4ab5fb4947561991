//! The cues and traps of English.

mod clauses;

use super::language::Who::{Agent, Anyone, User};
use super::language::{Cue, Heading, Language, Spelling, Trap, cue, heading, trap, trap_for};
use crate::rules::statements::finding::FindingKind::{
    Blocker, Constraint, Decision, Done, Fact, GivenUp, Preference, Resolution, Task,
};

/// What people say before an instruction.
macro_rules! opening {
    () => {
        r"(?:(?:ok(?:ay)?|yes|yeah|yep|sure|great|cool|fine|perfect|right|alright|all right|good|and|also|but|so|then|btw|oh|actually|please|just|note)[,:.!]? )*"
    };
}

/// A day to which something is moved.
macro_rules! day {
    () => {
        r"(?:the )?(?:(?:next |this |the following )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.? \d{1,2}(?:st|nd|rd|th)?|\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)|20\d\d-\d\d-\d\d|next (?:week|month|quarter|year|sprint)|q[1-4]|january|february|march|april|june|july|august|september|october|november|december)\b"
    };
}

/// What may precede a report.
macro_rules! before_report {
    () => {
        r"(?:ok(?:ay)?[,.]? |and |so |also,? |fyi,? |(?:all )?(?:done|finished)(?:[,.:;!]| -| --| —| –)? |(?:great|perfect|nice|awesome|excellent|good news|all ?right|yes|yep|yeah|cool|thanks|update)[,:;] )?"
    };
}

/// Who has done something.
macro_rules! has_done {
    () => {
        r"(?:i|we|you)?(?:'ve| have|'m| am| are|'re)?(?: now| just| already| also| finally| both)* ?"
    };
}

/// When something was done, and the end of its clause.
macro_rules! when_done {
    () => {
        r"(?:,? (?:now|today|yesterday|already|too|as well|again|this (?:morning|afternoon|week)|last (?:night|week)|just now|on (?:mon|tues|wednes|thurs|fri|satur|sun)day))*(?:[.! ]*$|[,;(]|: | (?:so|because|since|as) | (?:to|at|on|under) `?(?:https?://|[a-z0-9-]+(?:\.[a-z0-9-]+)+[:/])| and (?:[a-z]+ed|then|also|now|it|i|it's|they|that|this|everything|all|there)\b)"
    };
}

pub(super) static ENGLISH: Language = Language {
    headings: HEADINGS,
    cues: CUES,
    clauses: clauses::CUES,
    traps: TRAPS,
    aside: r"\b(?:thinking (?:more )?(?:about|on) (?:it|this)(?: more| again| some more| a bit more| over)?|(?:can|could|will|would) you (?:please )?(?:always|never|from now on|in (?:the )?future))\b|,? (?:(?:so |and |just )?(?:ask|ping|tell|text|email|call|bug) (?:him|her|them|me) if\b|(?:even )?if (?:needed|necessary|possible|in doubt|you must|that matters|anyone asks|you (?:want|like|need)(?: (?:it|to|one))?)\b|no matter (?:what|how|if)\b|whether .{2,40} or not\b|\bbecause\b|(?:isn't|is not|aren't|are not|wasn't|not) worth\b)[^,;.]*",
    opening: r"^(?:(?:ok(?:ay)?|k|al ?right|so|and|but|also|oh|ah|aha|btw|by the way|fyi|jfyi|for the record|just so you know|heads[ -]up|quick (?:note|heads[ -]up|one|update)|note|hm+|eh|uh|um|ugh|meh|well|yeah|yea|yep|yup|yes|nah|hey|hi|thanks|thank you|thx|ty|cheers|lgtm|looks good|lol|haha|anyways?|plus|tbh|honestly|to be honest|kk+|nvm|never mind|screw it|f+ck it|whatever|you know what|after (?:some |much |more )?(?:thought|thinking|sleeping on it|consideration|discussion|testing|a lot of thought)|thinking (?:more )?about (?:it|this)(?: more| again| some more| a bit more)?|basically|long story short|tl;?dr|in the end|for context|one more thing|(?:another|one other|one last|last) thing|in case it helps)(?:[,:.!;–—]+ ?| - ?| )|(?:right|now|then|cool|great|nice|perfect|awesome|fine|good|sure|actually|look|listen|update|good news|bad news|great news)[,:.!;–—]+ ?)+",
    closing: r"(?:[ ,.;:(~-]*(?:\b(?:lol|lmao|rofl|haha(?:ha)*|hehe|heh|tbh|imo|imho|i guess|i suppose|thx|thanks|thank you|ty|tysm|cheers|btw|fyi|jfyi|anyways?|anyhow|or whatever|whatever|you know|yk|ok\??|okay|alright|mate|man|dude|bro|folks|guys)\b[.!~) ]*|[^\x00-\x7f][^\x00-\x7f \)\]\}]*[.!~) ]*|[:;]-?[)(dp/3|]+|\^\^|<3|xd\b))+$",
    boundary: r"(?:[,;:–—!]+|\.{2,}| -{1,2}) ?|\. | (?:so|and|but|then|plus|because|since|cause|cuz|as) ",
    supposing: r"\b(?:if|unless|whether|suppose|supposing|imagine|in case|once|when|until|because|since|cause|as|would|could|said|says|think|thinks)\b",
    spelling: Spelling::Casual,
};

const HEADINGS: &[Heading] = &[
    heading(
        Decision,
        User,
        r"(?:(?:ok|so|our|the|my|key|main|final|some|all) )*decisions(?: log)?",
    ),
    heading(
        Decision,
        Anyone,
        r"(?:(?:ok|so|our|the|my|key|main|final|some|all) )*(?:decisions? (?:so far|made|taken|until now|up to now|from (?:the|our|today's) [\w' ]{2,40})|what (?:we|i)(?:'ve| have)? (?:decided|agreed)(?: on)?|(?:we(?:'ve| have)? )(?:decided|agreed)(?: on)?|(?:decided|agreed) (?:so far|today|on))(?: (?:so far|made|today|taken|until now|up to now|(?:from|for|on|in) [\w' ]{2,40}))*",
    ),
    heading(
        Preference,
        User,
        r"(?:(?:ok|so|a few|some|a couple of|couple of|two|three|my|our|the|general|basic|usual|other) )*(?:(?:ground|house|coding|code|team|style|commit|git|repo|project|working) (?:rules|preferences|conventions|style|guidelines)|working agreements?|preferences|conventions|(?:my|our) (?:rules|style|habits)|(?:things|stuff) i (?:care about|like|insist on|hate|dislike)|how i (?:like to )?work)(?: (?:first|here|to follow|of mine|from me|i (?:like|have|follow|use)|(?:for|in|of|when|on) [\w' ]{2,40}))*",
    ),
    heading(
        Constraint,
        User,
        r"(?:(?:ok|so|hard|the|our|my|some|strict|other|technical|two|three|a few|a couple of) )*(?:constraints?|hard requirements?|restrictions?|hard limits?|limits|limitations|non-?negotiables?|must-?nots?)(?: (?:here|so far|to respect|to keep in mind|(?:for|of|on|from|in) [\w' ]{2,40}))*",
    ),
    heading(
        Task,
        User,
        r"(?:(?:ok|so|and|also|our|the|my|some|all|other) )*(?:to-?dos?|to do|follow-?ups?|backlog)(?: (?:later|list|next|tomorrow|items?|tasks?|(?:for|until|before|after|on|in) [\w' ]{2,40}))*",
    ),
    heading(
        Task,
        Anyone,
        r"(?:(?:ok|so|and|also|my|our|the|what's|whats|what is|things|stuff|work|all|other) )*(?:to-?do list|still to do|left to do|(?:what's|whats|what is) left|remaining(?: (?:work|tasks?|items?|todos?))?|(?:still )?open (?:items?|tasks?|todos?|points?|work)|still (?:open|missing|left|remaining|pending)|for later|for (?:tomorrow|next time|next week)|not done yet)(?: (?:later|list|next|tomorrow|next (?:time|week|session|sprint)|items?|tasks?|still|(?:for|until|before|after|on|in) [\w' ]{2,40}))*",
    ),
];

const TRAPS: &[Trap] = &[
    // Questions.
    trap(r"\?[\s)*_'.!]*$", &[]),
    trap(
        r"^(?:so |and |but |ok,? |hey,? )?(?:should|shall|do|does|did|can|could|would|what|which|why|how|where|who|when (?:do|does|did|is|are|was|will|can|should|would|could|have|has)|is|are|was|were|have|has) (?:we|i|you|they|it|he|she|there|this|that|the|anyone|someone)\b",
        &[],
    ),
    // Questions without a question mark: people type to agents like that.
    trap(
        r"^(?:(?:ok(?:ay)?|so|and|but|hey|hi|wait|well|then|also|now|sorry|(?:quick |one )?question|btw|by the way|(?:just )?curious|(?:i )?(?:forgot|forget))[,:]? )*(?:(?:which|who|whom|whose|who's|why|how|where|whats|what's|wheres|where's|hows|how's|whys)\b|what (?:[b-z\d]|a[a-z])|(?:is|are|was|were|am|does|did|can|could|would|shall|should|isn't|aren't|wasn't|doesn't|didn't|has|have|had|haven't|hasn't) (?:[\w.'/#@-]+ )+[\w.'/#@-]+)",
        &[Task, Preference, Constraint],
    ),
    trap_for(
        &[Preference, Constraint],
        r"^(?:(?:ok(?:ay)?|so|and|but|hey|hi|wait|well|then|also|now|sorry)[,:]? )*(?:who|whose|why|how come|what's|which|(?:is|are|was|were|does|did|isn't|aren't|doesn't|didn't) [\w.'/#@-]+ [\w.'/#@-]+)\b",
    ),
    trap_for(
        &[Task],
        r"^(?:so |and |but |ok,? )?(?:which|who|whose|why|what (?:task|work|item|todo|thing|part|el)s?e?|does|did|is|are)\b",
    ),
    trap_for(
        &[Decision, Fact, Resolution, Blocker, Done],
        r"^(?:(?:ok(?:ay)?|so|and|but|hey|then|also|now)[,:]? )*(?:do (?:[\w.'/#@-]+ )+[\w.'/#@-]+|(?:don't|won't|can't|couldn't) (?:the|our|my|any|all|these|those|we|you) |will (?:the |our |my |a )?[\w.-]+ (?:be|go|keep|listen|live|need|require|run|start|stay|still|support|use|wait|work|also|always)\b)",
    ),
    trap(
        r", ?(?:right|correct|(?:(?:did|do|does|is|are|was|were|have|has|had|won't|wo|ca|wouldn)n?'?t|is|are|was|were|do|does|did|has|have|will|can|should|would) (?:we|i|you|it|they|he|she|there|that))[.! ]*$|\bor (?:not|no)[.! ]*$|\bam i right\b",
        &[],
    ),
    // A question that follows.
    trap(
        r"[,;–—-] ?(?:so |and |but )?(?:is|was|does|did|can|could|should|would|isn't|doesn't|shouldn't) (?:that|this|it|there) [^,;]{2,40}$",
        &[],
    ),
    // Hypotheses and proposals.
    trap(
        r"\b(?:suppose|supposing|imagine|assuming|(?:we|i|let's|let us|just) assume|maybe|perhaps|might|hypothetically|in theory|alternatively|let's say|what if|one option|another option|an option|options? (?:would|could|is|are)|not sure|unsure|wonder(?:ing)?|possibly|presumably)\b",
        &[],
    ),
    trap(
        r"\b(?:if|could|would|proposal|propose|suggest(?:ion|ed|s)?|recommend(?:ed|s|ation)?|consider(?:ing)?|thinking (?:of|about)|tempted|probably|ideally|for example|e\.g\.|worth)\b",
        &[Preference],
    ),
    trap(
        r"\b(?:if (?:we|you|they)|you (?:would|could|may|might|can))\b",
        &[GivenUp],
    ),
    trap(r"\bunless\b", &[Preference, Blocker]),
    // To end or go on with a talk decides nothing.
    trap_for(
        &[Decision, Task],
        r"\blet's (?:just |all |now )*(?:call it a (?:day|night)\b|stop here\b|leave it there\b|wrap (?:it )?up\b|(?:go|get|carry) on with (?:the )?[\w-]+(?: [\w-]+)?[.! ]*$|(?:move on|continue|carry on)[.! ]*$|get (?:started|going|back to work)\b|take (?:a (?:break|rest|walk|nap)|five|ten)\b|(?:have|grab) (?:lunch|dinner|breakfast|coffee|a (?:break|chat))\b|have a look[.! ]*$|go with the flow\b|go back to (?:the (?:bug|issue|problem|question|topic|error)\b|what we\b|where we\b|work[.! ]*$|that[.! ]*$))",
    ),
    // To move on with the work or the talk decides nothing, whatever it is moved on to.
    trap_for(
        &[Decision, Preference],
        r"\blet's (?:(?:just|all|now|then|also|please|really|quickly|maybe|first|rather|simply|go ahead and) )*(?:move (?:on|along|past)(?:[.,;:!]| *$| (?:from|then|now|and|with|already|quickly|together|in|please)\b| to (?:the|an?|our|my|your|that|this|these|those|some|another|other|#?[0-9]|next|[a-z]+ing)\b| to (?:(?:[a-eg-z0-9#][\w.#/-]*|f[a-np-z]\w*|fo[a-qs-z]\w*) ?){1,7}(?:[.,;:!]|$))|(?:move|go|roll)[.! ]*$|(?:lock|nail|hammer|get|sort) (?:it|this|that|them|these|those) (?:down|in|out|over with|done)\b|stick (?:with|to) (?:it|this|that)[.! ]*$|hold off on (?:it|this|that|those|these)\b|jump (?:straight|right|back|ahead|in)\b|move from (?:these|this|that|those)\b|(?:schedule|set up|arrange|book|plan|have) (?:an?|the|another) (?:[\w-]+ ){0,3}(?:meeting|call|session|chat|sync) to\b|move (?:back|forward|ahead)(?:[.,;:! ]*$| (?:to|on|and|by|in|into|together|as|now|quickly|slowly|step|from)\b)|(?:move|keep|get|push) (?:this|that|it|things|everything|all of this|our \w+) (?:forward|ahead|along|going|moving|rolling|alive|up)\b|(?:move|go|jump|skip|switch|turn|advance) (?:back |over |ahead |down |straight |right )*to (?:(?:the |our |my )?(?:next|following|last|final|remaining|other|original|previous) |(?:the )?(?:step|phase|task|number|part|point|section|chapter|question|item|issue|ticket|pr|pull request|milestone|topic|stage|round|exercise|lesson|test|story)(?:[.,;:! ]*$| #?[0-9]| and )|#[0-9])|(?:switch|change|shift) (?:gears?|(?:the )?(?:topics?|subjects?)|focus|tack|our attention)\b|(?:switch|go|jump|move|change|cd|get) (?:back |over )*(?:to|into) (?:the |my |our |that |another )?(?:[\w/-]+ ){0,2}(?:workspace|worktree|branch|tab|terminal|window|directory|folder)(?:[.,;:! ]*$| and | so | before )|back up(?:[.,;:! ]*$| and | a | to | for )|(?:take|go) a step back\b|step back\b|(?:go with|use|take|try) an? (?:[\w-]+ ){0,2}(?:different|new|another|better|simpler|fresh) (?:strategy|approach|way|method|idea|plan|solution|tack|angle|one)\b|[^,;:]* and (?:figure out|see|find out|check|look) (?:why|what|how|if|where|whether)\b|keep (?:going|moving|pushing|working|trying|looking|talking|at it|it up|up the|(?:this|that|the|our) (?:[\w-]+ )?(?:momentum|energy|conversation|discussion|laughter|spirit|good times|ball|fun|vibes?|love)|(?:in touch|each other)\b)|not (?:waste|lose|forget|worry|rush|get|give up|panic|overthink|dwell|jump|do (?:that|this|it|anything) (?:yet|now))\b|try\b|(?:go|walk|work|step|run|read|look|talk|think|dig|dive) (?:through|about)\b|(?:go|look|talk|think) over (?:it|this|that|the|our|each|all|what)\b|(?:dig|dive|look) (?:in|into|at|deeper)\b|work on (?:it|this|that|the|our|#?[0-9])|(?:see|check|discuss|investigate|debug|brainstorm|proceed with (?:the|this|that|our)|resume|figure|find|wait|pause|commit (?:and|the|this|that|these|those|our|my|what|everything|all|it|before|now)|make (?:an? (?:\w+ )?(?:commit|pr|pull request|list|plan|backup|copy|start|note)))\b|(?:start|begin|continue|proceed|carry on|get (?:started|going))(?:[.,;:! ]*$| (?:by|working|on|with (?:#[0-9]|[0-9]+\.[0-9]+(?:[.,;:! ]*$| in | of | and | then )|step|phase|task|number|part|the (?:first|next|easy|basics|other|remaining))|from (?:the (?:top|start|beginning)|scratch)|over|now|here|to|and|where)\b))",
    ),
    // Impatience decides nothing.
    trap_for(
        &[Decision],
        r"\bno (?:more )?(?:talk\w*|delays?|excuses?|waiting|asking|stalling|back and forth|silence|games?|nonsense|drama|arguments?|arguing|discussions?|messing|mucking|wasting|guess\w*|surprises?|chat\w*|small talk|time for|other thoughts?|adjustments? needed)\b|\b(?:not|n't) (?:going |moving )(?:forward|on|anywhere|ahead|one inch|an inch|to any other)\b[^;]*\b(?:until|unless|before)\b|^(?:after that|at first|one day|years ago|when i was|growing up)\b",
    ),
    // What is asked for now: go ahead, before we go on.
    trap_for(
        &[Decision],
        r"\b(?:go|going) ahead and (?:[a-z]+ (?:it|this|that|them|these|those|all|everything|what)\b|(?:do|fix|commit|push|merge|create|make|write|add|update|test|document|run|start|begin|try|check|review|implement|proceed|continue|attempt|cover|modify|change|clean|open|close|finish|complete|deploy|schedule|send|set|get|take|draft|put|prepare|generate|apply|look|work|delete|remove|rename|move|refactor|read|build|install|investigate|debug|mark|submit|post|plan)\b)|\bmoving on to\b",
    ),
    trap_for(
        &[Decision, Preference],
        r"^(?:(?:ok(?:ay)?|and|so|then|also|but|now|hey|hi|first)[,:]? )*before (?:we|you|i) (?:begin|start|get started|get (?:going|into)|go (?:on|any|further|ahead)|move on|continue|proceed|do (?:that|this|it|anything|so))\b[^,;:]*, ?(?:please |can you |could you |let's |i want you to |i'd like you to |i need you to )*(?:write|create|tell|show|give|explain|summari[sz]e|list|check|look|read|review|make|walk|talk|do|run|fix|commit|update|think|answer|help)\b",
    ),
    trap_for(
        &[Preference],
        r"^(?:(?:ok(?:ay)?|and|so|then|also|but|now|no|yes|wait|stop|first|just|please)[,:.!]? )*(?:talk|walk|take|guide) (?:me|us) through\b[^;]*\bbefore (?:we|you|i) (?:get started|begin|start|move on|continue|proceed|go on|go any further|do (?:it|this|that|anything))\b",
    ),
    // A bare prohibition holds for one answer: "don't write code, tell me first".
    trap_for(
        &[Preference],
        r"^(?:(?:ok(?:ay)?|and|so|then|also|but|now|no|yes|wait|stop|first|just|please)[,:.!]? )*(?:don't|do not) (?:(?:actually|go|just|start|begin|try to|you) )*(?:writ(?:e|ing)|run(?:ning)?|execut(?:e|ing)|mak(?:e|ing)|chang(?:e|ing)|implement(?:ing)?|do(?:ing)?|modify(?:ing)?|edit(?:ing)?|generat(?:e|ing)|touch(?:ing)?|creat(?:e|ing)|cod(?:e|ing)|start|build(?:ing)?|fix(?:ing)?)(?: (?:out|up))?(?: (?:any|the|a|some|more|new|actual|further))*(?: (?:code|anything|something|changes?|commands?|edits?|work|implementation|it|this|that))?(?:,? (?:or|and) (?:(?:don't|do not) )?(?:write|run|execute|make|change|edit|implement|do|modify|touch|create)(?: (?:any|the|a|some|more|new))*(?: (?:code|anything|something|changes?|commands?|edits?|tests?))?)*(?: (?:yet|now|for now|right now|here|at this point|at this stage|for the moment|at the moment|this time))*(?:[.! ]*$|[,;:–—])",
    ),
    trap_for(
        &[Preference],
        r"^(?:(?:ok(?:ay)?|and|so|then|also|but|now|first|please)[,:]? )*without (?:making|changing|writing|running|editing|touching|modifying|doing) (?:any |the |a )*(?:code|changes?|edits?|anything|files?)\b",
    ),
    // Work that is ordered, and what a product is to be able to do, are no habits.
    trap_for(
        &[Preference],
        r"^(?:(?:ok(?:ay)?|and|so|then|also|but|now|first|next|please|can you|could you|let's|go ahead and)[,:]? )*(?:create|make|write|add|open|file|record) (?:an?|another|one|the|one more|a new|the new) (?:[\w-]+ ){0,2}?(?:rule|task|ticket|issue|todo|follow-?up|spec) (?:to|that|about|for|so)\b|\bi(?:'d| would) (?:also |really |just |still |eventually )*like (?:to be able to|to (?:add|implement|build|create|[a-z]+ (?:it|this|that|these|those|them))\b|(?:the|this|our|my) (?:[\w-]+ ){1,4}to be able to)",
    ),
    // What somebody sees when something is done: "when I open the page, the list is empty".
    trap_for(
        &[Preference],
        r"^(?:(?:ok(?:ay)?|and|so|then|also|but|now|hm+|weird|strange|btw)[,:]? )*(?:when(?:ever)?|every time|each time|if|once|after|as soon as) (?:(?:i|we|you|someone|a user|the user|users?) (?:\w+ly )?(?:[a-z]+)|[a-z]+ing)\b[^;]*?, (?:then )?(?:(?:i|we|you) (?:(?:still|only|just|always|never|sometimes|now|then) )*(?:get|see|receive|lose|(?:don't|do not|can't|cannot|never) (?:get|see|receive|find|hear))\b|(?:the|it|this|that|there|nothing|my|all|everything|some|our|no) [^,;]*\b(?:is|are|was|were|isn't|aren't|doesn't|don't|gets?|got|fails?|failed|crash\w*|hangs?|hung|remains?|shows?|returns?|goes|throws?|appears?|disappears?|vanish\w*|stuck|happens|breaks?|jumps?|flickers?|loads?)\b)",
    ),
    trap_for(
        &[Preference],
        r"\b(?:the|this|that|it|its|your|my|our|his|her) (?:[\w-]+ ){0,4}(?:only|always|never|just|still) (?:talks|mentions|references|shows|returns|says|lists|includes|covers|prints|displays|gets|updates|appears|loads|opens|describes|captures|reports|contains|saves|renders|plays|comes)\b|\b(?:helps?|makes?|lets?|allows?|enables?) (?:us|me|them|people|it) (?:to )?(?:always|never|only)\b",
    ),
    // A worry or an observation decides nothing.
    trap_for(
        &[Decision],
        r"\b(?:concerned|worried|worry|worries|afraid|nervous|anxious|scared|surprised|confused|puzzled|upset|noticed|notice|noticing|(?:concern|fear|worry|problem|issue|danger|risk) is)(?: \w+ly)? (?:that|about|if|because|how|why|we|i)\b[^,;:]*\b(?:we|i)(?:'re|'m|'ve|'ll| are| am| have| will|)\b|\b(?:looks?|seems?|sounds?|feels?|appears?) (?:like|as if|as though|that) (?:we're|we are|you're|you are|they're|it's|i'm|i am) (?:not|still|missing|only|always|never|doing|getting)\b|\b(?:which|what|who|anything|everything|something|nothing|code|files?|things|stuff|ones?|where|why|how) (?:that )?(?:we|i)(?:'re|'m| are| am) (?:not|no longer|never|currently|still|now|already)\b|\b(?:make sure|ensure|check|verify|confirm|see)(?: that| if| whether)? (?:we|i)(?:'re|'m| are| am)\b|\b(?:delete|remove|drop|prune|clean up|get rid of|uninstall|find|list) [^,;:]*\bwe(?:'re| are) (?:not|no longer)\b|\b(?:is|are|was|were|looks?|seems?|keeps?|still|gets?|shows?|renders?)\b[^,;:]*(?:,|;| -| --| –| —) ?(?:but |and |just |instead )*(?:not|no longer) [a-z]+ing\b|\b(?:page|screen|app|window|spinner|dialog|modal|button|list|view|request|process|job|server|build|test|status|state|loader|form|menu|message|panel|popup|tab) (?:\w+ )?(?:stays?|remains?) (?:stuck|blank|empty|frozen|broken|hidden|open|white|black|disabled|pending|loading|visible|the same|unchanged|grey|gray|hung|idle|unresponsive)\b|\bi(?:'m| am) not (?:doing|seeing|getting) (?:an? |the |any )",
    ),
    // A scene is told.
    trap_for(
        &[Decision],
        r"\b(?:we|i|they) (?:was|were) (?:having|eating|drinking|visiting|watching|playing|walking|talking|chatting|sitting|driving|travell?ing|hanging out|out|at (?:the|a|an|my|our|this))\b[^;]*\b(?:so|and|then|ended up) (?:i|we|they)?\b|\b(?:last night|last weekend|the other (?:day|night|week)|once upon a time|back in (?:college|school|high school|the day)|on (?:our|my) (?:trip|way|vacation|honeymoon))\b[^;]*\b(?:i|we) (?:picked|chose|went|ended up|decided)\b",
    ),
    // The length of one text that is to be made is no limit of the work.
    trap_for(
        &[Constraint],
        r"^(?:(?:ok(?:ay)?|and|so|then|also|but|now|hey|hi|great|thanks|first|next|please|can you|could you|would you|will you|i want you to|i need you to|help me)[,:.!]? )*(?:(?:write|draft|compose|generate|create|make|prepare|rewrite|rephrase|paraphrase|shorten|summari[sz]e|translate|come up with|brainstorm|give|suggest)(?: me| us)? (?:an?|the|another|some|this|that|it|my|our|\d+|two|three|four|five|ten)\b(?: [\w-]+){0,4}? ?(?:tweets?|repl(?:y|ies)|responses?|emails?|mails?|posts?|essays?|poems?|haikus?|stor(?:y|ies)|summar(?:y|ies)|paragraphs?|headlines?|titles?|captions?|descriptions?|letters?|messages?|bios?|slogans?|taglines?|scripts?|speech(?:es)?|articles?|reviews?|sentences?|texts?|blurbs?|abstracts?|ads?|dialogues?|jokes?|toasts?|names|ideas|examples|questions|options|tips|more)\b|give (?:me|us) (?:about |around |another |just |only )*(?:\d+|[a-z]+) more\b)",
    ),
    // Requests and embedded questions: nobody says that it is so.
    trap(
        r"^(?:(?:ok(?:ay)?|and|so|then|also|but|now|hey|hi|first|next|please|can you|could you|would you|will you|you should|i'd like you to|i want you to|i need you to|we (?:need|have) to|someone should|go|just),? )*(?:check|double-check|verify|confirm|find out|figure out|ask|tell|let (?:me|us) know|see|explain|describe|summari[sz]e|list|show|look (?:up|into|at)|investigate|test|make sure|ensure|be sure|remind me|clarify)\b[^,;]{0,80}?\b(?:whether|if|why|what|which|how|who|the reasons?|the rationale)\b",
        &[Task, Preference],
    ),
    trap_for(
        &[Resolution, Done],
        r"^(?:(?:ok(?:ay)?|and|so|then|also|but|now|hey|hi|first|next|please|can you|could you|would you|will you|you should|i'd like you to|i want you to|i need you to|we (?:need|have) to|someone should|go|just),? )*(?:(?:check|double-check|verify|confirm|find out|ask|tell|let (?:me|us) know|make sure|ensure|be sure|test that|assert|prove|pretend|act|say|wait)\b|(?:write|add|create|post|send)\b[^,;]*\bthat\b)[^,;]*\b(?:fixed|resolved|solved|done|closed|finished|merged|sorted|granted|approved|completed?|over|gone|unblocked)\b|\b(?:(?:looks?|looked|feels?|felt|sounds?|sounded) like|seems? (?:like|that|to)|seemed (?:like|that|to)|as (?:if|though)|make sure|to be sure|to ensure|to confirm|to verify)\b[^,;]*\b(?:fixed|resolved|solved|done|closed|finished|merged|sorted|granted|approved|completed?|over|gone|unblocked)\b",
    ),
    trap_for(
        &[Decision, Resolution, Blocker, Done],
        r"\b(?:whether|(?:ask|asked|asks|asking|know|knows) if)\b[^,;]*\b(?:decided|agreed|settled|blocked|stuck|held up|on hold|waiting|fixed|resolved|solved|done|closed|finished|merged|sorted|granted|approved|completed?|over|gone|unblocked)\b|\b(?:a lie|a myth|a rumou?r|nonsense|untrue)\b",
    ),
    trap_for(
        &[Resolution, Done],
        r"\b(?:say|says|saying|pretends?|verif(?:y|ies)|checks|asserts?|claims?|ensures?|requires?|expects?|assumes?) (?:that )?(?:the|our|this|that|all|a)\b[^,;]*\b(?:fixed|resolved|solved|done|closed|finished|merged|sorted|granted|approved|completed?|over|gone|unblocked)\b|\b(?:for all|as far as) (?:i|we) (?:know|can tell|remember)\b",
    ),
    // What is asked for, tested or told as a story is not so.
    trap_for(
        &[Fact, Blocker, Resolution, Done],
        r"^(?:(?:ok(?:ay)?|and|so|then|also|but|now|hey|first|next|please|can you|could you|would you|will you|you should|i want you to|i need you to|let's|go|just)[,:]? )*(?:list|show|tell|give|find|search|get|print|display|enumerate|look (?:up|for|at|into)|check|explain|describe|summari[sz]e|make|ensure|test|verify|assert|configure|set up|change|write|add|create|update|fix|implement|build|start|deploy|rewrite|adjust|tweak|move|convert|let|have) (?:me|us|all|every|everything|everyone|each|the|a|an|any|anything|that|those|these|this|it|which|what|whatever|sure|out|up|for|our|my)\b[^,;:]*$|^(?:please |can you |could you |now |then )*(?:(?:make|have|let) [\w.-]+ (?:listen|run|use|start|bind|serve|target|require)\b|(?:run|start|serve|expose|bind|launch|open) )[^,;:]*$",
    ),
    trap_for(
        &[Fact, Blocker, Constraint, Decision],
        r"\b(?:tests?|checks?|assertions?|errors?|exceptions?|warnings?|messages?|stor(?:y|ies)|scenarios?|mocks?|fixtures?|stubs?) (?:[a-z]+ )?(?:checks?|verif(?:y|ies)|asserts?|ensures?|indicates?|implies|means|expects?|proves?|assumes?|complains?|pretends?|simulates?) (?:that\b|the\b|as if\b|we\b|our\b|a\b)",
    ),
    trap_for(
        &[Preference, Constraint, Decision],
        r"\buser stor(?:y|ies)\b|\bas an? (?:[a-z]+ )?(?:user|customer|admin|visitor|guest|shopper|member|reader|player|buyer|seller|student|teacher|client|tester|operator),? i\b",
    ),
    // What was so once.
    trap_for(
        &[Fact],
        r"\b(?:used to|no longer|any ?more|formerly|previously)\b|(?:\bnot|n't) (?:actually )?(?:use|run|need|require|target|listen|live|on|at|using|running)\b|^say\b",
    ),
    trap_for(
        &[Fact],
        r"\b(?:was|were|ran|listened|lived|sat|served|will (?:be|run|listen|live|sit|move)|going to (?:be|run|listen|live)|would (?:be|run|listen)) (?:\w+ ){0,2}(?:on|at|in|under|behind) |\b(?:last (?:year|month|week|summer|winter)|back then|in the past|in those days|(?:years?|months?|weeks?) ago|back in \d)\b",
    ),
    trap_for(
        &[Decision],
        r"(?:^|, |\bthat )(?:the |an? |my |our |some )?(?:other|another|old|former|previous|different|rival|neighbou?ring) (?:team|company|group|department|squad|startup|agency|vendor|guys|people|folks)s? ",
    ),
    // What is denied, played or told.
    trap(
        r"\b(?:claims?|idea|notion|rumou?rs?|story|legend|belief|assumption|myth|misconception|impression|theory|misunderstanding|lie) (?:is )?that (?:we|you|i|they|the|our|all|it|every|no)\b|\b(?:it is|it's|that is|that's) (?:just |only |simply |a |an |total |complete )*(?:myth|misconception|lie|joke|fallacy|misunderstanding|untrue|false|wrong|nonsense) that\b|^(?:let's |just |please )*(?:pretend|make believe|act as if)\b",
        &[],
    ),
    trap(
        r"\bin (?:the|my|this|that|a|his|her|their) (?:book|novel|film|movie|story|tale|dream|episode|comic|poem|play|scene|fairy ?tale|series)\b|\bthe (?:hero|heroine|protagonist|villain|narrator)\b",
        &[],
    ),
    // What somebody is to write or to tell others.
    trap(
        r"^(?:(?:ok(?:ay)?|and|so|then|also|now|please|can you|could you|would you|will you|i want you to|i need you to|you can|you should|go|just|help me),? )*(?:tell (?:him|her|them|everyone|everybody|people|the|my|our|[a-z]+)|inform|notify|e-?mail|message|announce|reply|respond|answer|let (?:him|her|them|everyone|everybody|the|my|our|[a-z]+) [\w ]{0,20}?know|(?:write|draft|compose|send|post|prepare|make|create|give me)(?: me| us| him| her| them| [a-z]+)? (?:an? |the |another |some )?(?:[\w-]+ ){0,3}(?:e-?mail|mail|letter|message|note|post|reply|text|tweet|announcement|statement|memo|comment|paragraph|sentence|story|poem|essay|article|summary))\b[^;]*?\b(?:that|saying|stating|telling|in which|where|when|once|if|:)",
        &[Task],
    ),
    // What somebody else says was decided.
    trap_for(
        &[Decision],
        r"\b[a-z]{3,} (?:said|says|claims|claimed|thinks|thought|believes|mentioned|heard|told me|insists|wrote) (?:that )?(?:we|they|the team) (?:\w+ )?(?:decided|agreed|chose|picked|settled|opted|went with|use|will|'ll|should|would)\b",
    ),
    // Hopes, doubts and errors.
    trap(
        r"\b(?:i|we|they|everyone|everybody|he|she|people) (?:(?:really|just|still|do|sincerely|all|had|always|also) )*(?:hope|hoped|doubt|doubted|wish|wished|suspect|suspected|wonder|wondered|assumed|believed|figured|thought (?:that|the|we|our|this|all|you|it (?:was|is|had)|it's))\b[^,;:]*\b(?:decided?|agreed|settled|opted|chose|chosen|going with|switched|migrated|moving|let's|fixed|resolved|solved|done|closed|finished|merged|approved|granted|completed?|over|gone|unblocked|blocked|stuck|waiting|must|needs?|have to|has to)\b",
        &[Preference],
    ),
    // What is only wished for, or asked of something that is to be written.
    trap_for(
        &[Constraint, Fact],
        r"\bwhoever\b|^(?:please |can you )*(?:write|create|implement|make|give me|generate|build|add|design|find|suggest|show me) (?:me )?(?:an? |the |some |any )?[\w -]{2,40} (?:that|which|where|so that) ",
    ),
    // What people wish each other.
    trap_for(
        &[Decision, Constraint],
        r"\bkeep(?:ing)? (?:on )?(?:[a-tv-z]\w*ing|\w+in')\b|\bkeep(?:ing)? (?:it up|each other|fit|strong|in touch)\b|\bstay(?:ing|s)? (?:on track|positive|close|motivated|determined|strong|connected|organi[sz]ed|focused|optimistic|upbeat|resilient|safe|healthy|calm|fit|tuned|in touch|true)\b|\bmak(?:e|ing) (?:a difference|some|memories|great memories|the world)\b",
    ),
    trap_for(
        &[Blocker],
        concat!(
            r"\bcan't wait\b|(?:n't|\b(?:not|never|without|instead of|rather than|stop|stopped|tired of|no need to|used to|able to|supposed to|happy to|prefer to|want to|wants to|like to|going to)) (?:[a-z]+ ){0,2}wait(?:s|ing)?\b",
            r"|\b(?:timeouts?|timed out|of|while|by|from|about|fails?|failed|failing|flaky|hangs?|hung|keeps?|error) waiting\b",
            r"|\bwaiting (?:for|on) (?:an? |the |each |this )?(?:[\w./-]+ ){0,3}?(?:locators?|selectors?|elements?|toasts?|urls?|timeouts?|dom|renders?|navigation|fixtures?|events?|responses?|ports?|sockets?|web ?server|networkidle|hydration|spinner|modal|dialog|animation|page)\b",
            r"|\bstuck (?:in|at|on) (?:an? |the )?(?:pending|loading|queued|running|initiali[sz]ing|starting|processing|terminating|creating|building|unknown|progress|loops?|states?|status|\d+ ?%)",
        ),
    ),
    trap_for(
        &[Task, Preference],
        r"\b(?:don't|never) (?:ever )?(?:forget|give up)(?: to)? ?(?:stay|take (?:breaks|care|it)|be|have fun|enjoy|smile|breathe|relax|your passion|prepare emotionally|$|[.!])|\balways here\b|\bwhenever you need\b|\breach out\b",
    ),
    // What is not meant.
    trap(r" /s$|\b(?:just kidding|jk|kidding|joking|sarcasm)\b", &[]),
    // What follows contradicts it.
    trap_for(
        &[Resolution, Done],
        r"(?:\b(?:but|yet|though|although|then|and|except)|[;,—–]) ?(?:(?:that|actually|apparently|then|now|unfortunately|clearly|it seems|here|today|sadly|of course) )*(?:it|this|that|they|the (?:same )?(?:bug|problem|issue|error|leak|outage))(?:'s|'re| is| was| has| had| have| does| do| did| are| were)?(?: just| now)?(?:n't| not| still| again| back (?:again|already)| back[.!]*$| came| comes| keeps?| kept| returned| reappear| broke| reopened| fails?| failed| happens?| crash)|\bbut (?:still (?:happens|there|broken|fails|failing|crash|occurs|open)|came back|returned|reappeared|broke again)",
    ),
    trap_for(
        &[Decision],
        r"\b(?:but|and|which|that|it) (?:[a-z]+ )?(?:was|turned out to be|proved to be) (?:a |an )?(?:[a-z]+ )?(?:mistake|wrong|bad idea|disaster)\b|\b(?:changed our minds?|reverted (?:that|it)|but (?:now|since then|later|then) we (?:changed|reversed|dropped|went back|no longer)|but (?:that|this|it)(?:'s| has| is| was)? (?:since )?(?:changed|no longer|outdated|reversed|overturned))\b|^oh,? (?:sure|of course|wonderful|fantastic),|^yeah,? right,",
    ),
    // A feeling, a call to go back.
    trap_for(
        &[Resolution, Done],
        r"\blet's (?:all |just |please )*(?:back|go|check|look|see|review|talk)\b|\b(?:my|our|his|her|their) (?:whole )?(?:patience|energy|time|hope|motivation|mood|focus|appetite|strength|interest|enthusiasm|luck|sanity)\b|^(?:(?:please|now|then|can you|could you|and|also),? )*(?:confirm|verify|review|check|double-check|validate|make sure|ensure|see)\b",
    ),
    // What is only hoped for, begun, half done, denied or done by others.
    trap_for(
        &[Done],
        r"\b(?:whether|if|when|once|until|unless|while|should|must|would|could|may|might|will|can|cannot|need|needs|needed|to be|make sure|ensures?|verify|check|confirm|hope|wish|think|thought|suppose|supposed|expect|expected|seems?|looks? like|almost|nearly|half|partly|partially|mostly|some|most|part|parts|first|not|never|nothing|nobody|none|no|yet|says?|said|claims?|told|pretend|assume|assumed|as though|going to|about to|want|wanted|tried|trying|started|began|planned|plan|let's|please|how|why|what|who|which|test that|remaining|still|but|except|however|reverted|undid|rolled back|failed|forgot|used)\b|n't\b",
    ),
    // What others say, think or ask is not to be done any more still is.
    trap_for(
        &[GivenUp],
        r"\b(?:says?|said|saying|tells?|told|thinks?|thought|claims?|claimed|wants?|wanted|suggests?|suggested|asked|asks|insists?|insisted|believes?|believed|heard|reads?|wrote|writes|hopes?|wish|whether|should|could|would|might|maybe)\b",
    ),
    // Examples.
    trap(
        r"^(?:for )?(?:e\.g\.|excerpt|headline|subject|caption)(?: [a-z]+){0,2}: |^[^:]{0,40}\b(?:example|sample|draft|template)(?: [a-z]+){0,2}: ",
        &[],
    ),
    // Reported speech.
    trap(
        r"(?:\b(?:told|tells|informed|assured|promised) (?:me|us|them|him|her)|\b(?:my|our|the|his|her|their|your) (?:[a-z-]+ ){1,5}(?:says|said|claims|claimed|insists|insisted))\b[^,;]*\b(?:decided?|agreed|settled|opted|chose|chosen|going with|switched|migrated|moving|let's|fixed|resolved|solved|done|closed|finished|merged|approved|granted|completed?|over|gone|unblocked|blocked|stuck|waiting|must|needs?|have to|has to)\b|\b(?:rumou?r has it|i(?:'ve| have)? heard (?:that|the|we)|allegedly|supposedly|reportedly|apparently|i was told)\b",
        &[],
    ),
    trap(
        r"\b(?:according to|(?:page|post|article|blog|readme|docs?|documentation|author|issue|comment|error|message|website|site|tutorial|vendor|paper|thread|changelog|spec|reviewer|manual) (?:\w+ )?(?:says?|said|claims?|claimed|states?|stated|writes?|wrote|reads?|suggests?|mentions?|argues?))\b",
        &[],
    ),
    trap(
        r"\b(?:he|she|they|someone|somebody|people|it|which) (?:said|says|wrote|writes|claim(?:s|ed)?|thinks?|thought|believes?)\b",
        &[],
    ),
    trap(
        r"(?:says|said|writes|wrote|claims?|claimed|reads?|states?|quote)(?: that)?:? §|\b(?:say|write)(?: that)?: §",
        &[],
    ),
    // A paragraph of a law, or a sentence that was cut off.
    trap(r"^\(\w{1,2}\) |--$", &[]),
    // Negations.
    trap(
        r"(?:\b(?:not|never|cannot|yet to|un)|n't)[ -]?(?:(?:been|be|really|actually|yet|have|has|had|is|are|was|were|ever|even|all|fully|formally|officially|finally|just|currently|that) )*(?:decided|agreed|settled|chosen|said|saying|blocked|stuck|held up|stalled|waiting)\b|(?:\bnot|n't) (?:really |actually |ever )?say\b",
        &[Resolution],
    ),
    trap(
        r"\b(?:we|i|they|you|team|everyone|that|it)(?: (?:did|do|does|could|can|would|have|has))?(?: ?n't| not) (?:(?:really|actually|yet|ever|even|fully|formally|officially|finally|all|explicitly) )*(?:decide|agree|settle|choose|opt)\b",
        &[Resolution, Preference, Constraint],
    ),
    trap(
        r"\b(?:nobody|no one|no-one|none|nothing|neither)(?: (?:else|on|of|from|in|at|the|our|my|your|this|that|us|them|you|these|those|has|have|had|is|are|was|were|been|being|ever|actually|really|yet|officially|formally|finally|currently|now|still|here|there|team|group|side|tasks?|prs?|tickets?))* (?:decided|agreed|settled|chosen|chose|picked|opted|blocked|stuck|held up|stalled|waiting|resolved|fixed|merged|done)\b",
        &[Preference, Constraint],
    ),
    trap_for(
        &[Decision, Resolution, Blocker, Done],
        r"\bno (?:[a-z-]+ ){1,3}(?:is|are|was|were|has been|have been) (?:[a-z]+ )?(?:decided|agreed|settled|blocked|stuck|held up|stalled|waiting|fixed|resolved|merged|done)\b",
    ),
    trap(
        r"(?:\b(?:not|hardly)|n't) (?:(?:yet|really|entirely|at all|fully|necessarily) )*(?:convinced|certain|true|the case|clear|as if|as though)\b|\bnot like (?:we|i|they)\b|\b(?:it's|it is|that's) not like (?:the|our|there|it|he|she|you|any\w*)\b|^had (?:we|i|they|the team)\b",
        &[Preference, Constraint],
    ),
    trap_for(
        &[Resolution, Done],
        r"(?:\b(?:not|never|almost|nearly|half|partly|partially|mostly|hardly|barely)|n't) (?:(?:yet|been|be|fully|completely|really|entirely|quite|actually|all|just|even|properly|ever) )*(?:fixed|resolved|solved|done|closed|finished|merged|sorted|granted|approved|completed?|over|gone|unblocked)\b|^(?:only |just )?(?:half|parts?|some|most|many|none|neither|few|little) of\b",
    ),
    trap(
        r"\b(?:undecided|(?:decided|settled|agreed|chose) (?:on |to use |to do |to change )?nothing|nothing (?:is |was |has been )?(?:decided|settled)|no (?:final )?(?:decision|agreement|preference)|no need|not (?:required|necessary|needed)|there (?:is|are|'s) (?:nothing|no))\b|\b(?:does|do|did|is|are)(?:n't| not) (?:have|need|required|necessary)\b[^,;:]*$|\bnothing (?:left|else|more)(?: (?:to|for)\b|[.!]*$)",
        &[GivenUp],
    ),
    trap(
        r"\b(?:do not|don't|didn't) (?:really )?(?:prefer|mind|care|know|think|remember|understand)\b",
        &[],
    ),
    // What is wrong with something, how it looks at the moment, and a case of a test are no wishes.
    trap_for(
        &[Preference, Constraint],
        r"\bwhich is (?:just |clearly |obviously |totally |also )?(?:wrong|incorrect|broken|not right|a bug|weird|odd)\b|^(?:(?:and|but|so|also|ok(?:ay)?|hm+|btw|no|now)[,:]? )*there(?:'s| is| are| seems? to be| was| were) (?:still |also |some |an? |no |lots of |a lot of )*(?:inconsistenc|consistenc|mismatch|discrepanc)|\b(?:is|are|keeps?) (?:\w+ )?showing up (?:as|in)\b|→ ?(?:it )?(?:passes|fails|works|breaks|ok|errors?|succeeds?|returns?|throws?)\b|\bright now\b[^,;]*\b(?:is|are) \w+ing\b|^(?:error|failed to|unable to|could not)\b[^:]*: |\bmay (?:never|not) (?:occur|happen|exist|appear)\b|^(?:use|take|see) the (?:above|following|below)\b|, ?(?:remove|delete|fix|change) (?:them|it|that|this|these|those)[.!]*$|^or (?:run|try|use|just)\b",
    ),
    // What somebody did once, asks for, or wants to see otherwise, is not how things are.
    trap_for(
        &[Fact],
        r"^(?:(?:and|but|so|also|ok(?:ay)?|now)[,:]? )*(?:i (?:just |now |already )?(?:ran|tried|tested|created|uploaded)\b|i want to be able\b|(?:please )?give me\b|here'?s an? (?:starting|good|nice|simple|link)\b|it should\b|you(?:'re| are) \d)",
    ),
    // What happens meanwhile is blocked by nothing, and nothing waits for ever.
    trap_for(
        &[Blocker],
        r"^(?:(?:and|but|so|also|ok(?:ay)?|now)[,:]? )*while (?:we|i|they|it|that|you|everyone)(?:'re|'m| are| am| is)? (?:still )?wait(?:ing)?\b|\b(?:blocked|stuck|waiting|hangs?) forever\b|^waiting for [\w ]{2,24}(?:\.{3}|…)$|\bstuck (?:in|at|on) (?:an? |the )?[§\x22'“]|^(?:[\w ]{0,20}[,:] )?(?:all|both|most|some|none|the (?:remaining|other|rest of the))(?: of)?(?: (?:my|the|our|these|those))?(?: \d+)?(?: [\w-]+)? ?(?:tasks?|items?|tickets?|issues?|stor(?:y|ies)) (?:\w+ ){0,2}(?:blocked|stuck|waiting)[.! ]*$",
    ),
    // Observed behaviour: "Bug: always returns nothing" wishes for nothing.
    trap_for(
        &[Preference, Constraint],
        r"^(?:the )?(?:bug|issue|actual(?:ly)?|observed|symptoms?|result|problem|error|defect|regression|behaviou?r)s?\b[^:]{0,30}:",
    ),
];

const CUES: &[Cue] = &[
    // Decisions.
    cue(
        Decision,
        User,
        r"\blet's (?:just |all |rather |then |really |simply )?(?:go with|use|keep (?:the|our|using|both|it as|it in)|stick (?:with|to)|drop|switch (?:to|back)|move to|adopt|ship|store|avoid|skip|do without|leave|postpone|standardi[sz]e|call it|name it|settle|not (?:add|use|do|support|build|introduce|include|bother|go|ship|store|change|touch|merge|make|put|rename|rewrite|migrate|allow|depend))\b",
    )
    .unless(r"\b(?:momentum|going|moving|focus|ball rolling|the flow)\b|\blet's (?:just )?(?:keep (?:going|looking|digging|trying|working|at it|it up|in mind)|not (?:worry|forget|panic|rush|get|be)|leave (?:it (?:here|there|at that)|aside|now)|use (?:this|that|the) (?:time|opportunity))|\blet's (?:\w+ )*?(?:go with|use|keep|stick (?:with|to)|leave|drop|skip|avoid) (?:(?:this|that|these|those)(?: \w+)?|it|them|the same|the first|the second|the last)(?: (?:one|ones|option|idea|plan))?(?:,? (?:for (?:now|today)|then|instead|again|please))*[.!: ]*$|\b(?:move|switch) (?:to|back to) (?:the |a |an )?(?:next|other|previous|different|another|last|first|second|end|top|bottom|docs|code|tests?|question|topic|point)\b|\bkeep it (?:as )?(?:simple|short|brief|light|cool|real|fun)\b"),
    cue(Decision, Anyone, r"\blet's (?:just )?(?:go with|stick with|settle on)\b")
        .unless(r"\blet's (?:just )?(?:go with|stick with|settle on) (?:(?:this|that|these|those)(?: (?:first|second|last))?(?: \w+)?|it|them)(?:,? (?:for (?:now|today)|then|instead|again|please))*[.!: ]*$")
        .clear(),
    cue(
        Decision,
        Anyone,
        r"\b(?:we|i|you|the team|team|everyone|everybody)(?:'ve| have| had| has)? (?:both |all |already |also |finally |now |just |jointly |then |deliberately |previously |earlier )*(?:decided|agreed|opted|settled)(?: \w+)? (?:to|on|against|for|that|not|we|in favou?r)\b",
    )
    .unless(r"\b(?:when|why|whether|once|before|after|until) (?:we|i|you|the team)(?:'ve| have)? (?:\w+ )?(?:decided|agreed|opted|settled)|\bagreed (?:with|upon by)\b|\b(?:since|now that|hear|glad|thrilled|great|happy|outline|where|which|what|everything) (?:that )?(?:you|we|i)\b|\b(?:all|details|plan|one|ones|recap) (?:that |what )?(?:we|you|i)(?:'ve| have| had)? (?:\w+ )?(?:agreed|decided|settled)|\b(?:agreed|decided|settled)(?: on| to| upon)?(?: (?:this|that|it)(?: one)?)?[.!:]*$|\bmomentum\b")
    .clear(),
    cue(
        Decision,
        Anyone,
        r"^.{0,120}\b(?:we|i|the team)(?: have|'ve)? (?:decided|decide) (?:\w+ ){0,3}\w+",
    )
    .unless(r"\b(?:when|why|whether|once|before|after|until|how|what) (?:we|i)(?:'ve| have)? decided?|\bdecided? (?:if|whether|how|what|which|where)|\bdecisions?\b|\bhad decided\b|\b(?:can|must|should|will|to|need) decide\b|\blet (?:me|us|you)\b|we decide\b"),
    cue(
        Decision,
        Anyone,
        r"\b(?:we|i)(?:'ve| have)? (?:finally |already |now )?(?:chose|chosen|picked|selected) .+ (?:over|instead of|for the|for our|as (?:the|our)|because|rather than)\b",
    )
    .unless(r"\bpicked (?:\w+ )?up\b"),
    cue(Decision, Anyone, r"\b(?:we|i)(?:'ve| have) (?:finally |already |now )?(?:chosen|picked|selected) \w+").unless(r"\bpicked (?:\w+ )?up\b|\b(?:after|once|when|until|before|since|now that) (?:we|i)"),
    cue(Decision, Anyone, r"\b(?:was|been|is) (?:finally |already |now )?(?:decided|agreed) (?:that|to|on|against)\b")
        .unless(r"\b(?:when|why|whether|once|before|after|until|where) (?:\S+ ){0,3}(?:was|been|is) ")
        .clear(),
    cue(Decision, Anyone, r"^(?:ok(?:ay)?[,:]? |so[,:]? )?(?:the )?(?:final |our |my )?(?:decision|decided|call|verdict)(?: made)?\s*(?::|--|—|–| - )\s*\w+(?: \S+){2,}").clear(),
    cue(Decision, User, r"\bagreed\s*[:,;.]? (?:so )?(?:then )?(?:we|let's|i)\b"),
    cue(
        Decision,
        Anyone,
        r"\bwe(?:'re| are) (?:now |also |then |just |only |definitely )*(?:going to (?:drop|use|keep|stop|switch|move|adopt|remove|go|stick|ship|support|store|freeze|postpone)|going with|sticking (?:with|to)|switching|dropping|keeping|adopting|staying (?:with|on)|not going to|not (?:using|adopting|supporting|doing)|standardi[sz]ing on|migrating|moving (?:\S+ ){1,5}to|abandoning|replacing|deprecating|freezing|postponing)\b",
    )
    .unless(r"\bmoving on\b|\bdropping (?:\w+ )?(?:frames?|packets?|connections?|requests?|messages?|rows|events|by|off)\b|\bswitching (?:between|contexts?)\b|\b(?:while|when|because|since|until|as) we(?:'re| are)\b|\bkeeping (?:track|an eye|up|in mind|busy)\b|going to (?:use|go) (?:this|that|through|over|back|it)|\bthe (?:best|same|right)(?: one| way)?[.!]*$"),
    cue(Decision, User, r"\bi(?:'m| am) (?:now |also )?(?:going with|sticking with|switching (?:\S+ )?to|dropping|keeping|staying (?:with|on))\b"),
    cue(
        Decision,
        User,
        r"\bwe(?:'ll| will| won't| will not| shall)(?: be)? (?:now |only |no longer |never |always |just |then |all )*(?:use|using|keep|keeping|go with|going with|stick|drop|dropping|adopt|adopting|support|supporting|store|storing|stay|staying|ship|shipping|standardi[sz]e|switch|move|skip|avoid|postpone|add|adding|host|hosting|do without)\b",
    )
    .unless(r"\b(?:later|tomorrow|next (?:week|month|sprint)|then we'll see|have to|need to|move on)\b"),
    cue(
        Decision,
        Agent,
        r"\bwe(?:'ll| will| won't| will not) (?:now |only |no longer |never |always )*(?:use|using|keep|go with|stick|drop|adopt|support|store|stay|ship|standardi[sz]e|switch|be using).*\b(?:going forward|from now on|instead of|rather than|as (?:agreed|decided|you (?:asked|decided|wanted)))\b",
    ),
    cue(Decision, Anyone, r"\b(?:as (?:we )?(?:agreed|decided)|as you (?:have )?decided|per your (?:call|decision)|per (?:our|the) (?:decision|agreement))\b.{0,4}\w+")
        .unless(r"\b(?:agreed|decided) (?:upon )?(?:by|between)\b"),
    cue(Decision, User, r"^(?:ok(?:ay)?|fine|alright|all right|yes|yeah|right|great|cool|so|then)?[,.: ]*(?:we're |i'm |then )?going with \w+"),
    cue(Decision, Anyone, r"\b(?:the|our) (?:plan|decision|agreement|conclusion|choice) (?:is|was) (?:now |then )?(?:to (?:go with|use|keep|drop|switch|move|adopt|ship|stay|stick|not)|against|in favou?r of)\b"),
    cue(Decision, User, r"\b(?:final call|final answer|final decision|it's settled|that's settled|settled)\s*[:,]\s*\w+")
        .unless(r"\b(?:now that|once|when|after|until|before|as soon as) ")
        .clear(),
    // Verdicts in a few words.
    cue(Decision, User, concat!(r"^", opening!(), r"[\w.+#/-]+(?: [\w.+#/-]+){0,3} it is(?:,? then)?(?:[.!: ]*$|[,;] )"))
        .unless(r"\b(?:as|what|how|than|like|where|because|since|think|guess|sure|say|know|whatever|that|this|there|who|why|when|so|if|whether|see|and|but|or|for|which) (?:\w+ )?it is\b|\b(?:finding|doing|making|trying|knowing|thinking|seeing|getting) it is\b"),
    cue(Decision, User, r"^(?:(?:actually|ok(?:ay)?|no|wait|hm+|sorry)[,.]? )*(?:scrap|scratch|strike|forget|ignore|never ?mind) (?:that|this|it|what i said)\s*[,;:.–—-]+ ?(?:(?:actually|instead) ?,? )?(?:we|let's|i'll|i'm|keep|use|go|stick|stay|back to)\b"),
    cue(Decision, User, concat!(r"^", opening!(), r"(?:agreed|fine|fair(?: enough)?|good point)?[,.:;]? ?no [\w-]+(?: [\w-]+){0,3} then[.! ]*$"))
        .unless(r"\bno (?:worries|problem|rush|need|idea|way|more|wonder|luck|change|thanks|go)\b"),
    cue(Decision, User, r"\blet's (?:just |all |rather |then )?(?:move|migrate|switch|convert|port|change) (?:[\w'/.-]+ ){1,6}(?:from [\w.+#/ -]{1,30}? to|over to|away from|off(?: of)?) [\w.+#-]+"),
    cue(Decision, User, concat!(r"^", opening!(), r"[\w.+#-]+(?: [\w.+#-]+)? for (?:the )?[\w/ -]{2,30}?(?:,? and|,|;) [\w.+#-]+(?: [\w.+#-]+)? for (?:the )?[\w/ -]{2,40}[.! ]*$"))
        .unless(r"^(?:\w+[,:.!]? ){0,2}(?:thanks|thank|sorry|good|great|wait|waiting|look|looking|check|ask|search|test|fix|add|create|write|make|wrong|right|bad|ready|done|time|it's|i|we|you|is|are|this|that|here|there|what|once|not|fine|ok|nice|except|run|grep|call|need|needs|set|works|worked|fails|failed) for\b|\d| years? "),
    cue(Decision, User, concat!(r"^", opening!(), r"[\w.+#-]+(?: [\w.+#-]+)?(?:,? (?:instead of|over|rather than)|, not) [\w.+#-]+(?: [\w.+#-]+)?(?: for (?:the |our |all )?[\w/ -]{2,40})?[.! ]*$"))
        .unless(r"\b(?:i|we|you|he|she|it|this|that|these|those|they|is|are|was|were|do|does|did|why|how|what|which|maybe|better|more|less|prefer|use|using|used|start|over there|sure|yet|now|here|there|really|all|just|so|if|get|go|hand|take|run|come|look|read|think|talk|check|left|carry|start|bent|game|been|why|of course|not (?:sure|yet|now|really|only|the|a|that|this|so|bad|working|found|for|to|in|at|on|with|very|too|good|great|ok|okay|much|many|quite|like|even)|over (?:it|here|there|the|and|a|an|to|all|any\w+|every\w+|time|again|by|ssh|http|https|tcp|usb|\d+))\b"),
    cue(Decision, User, concat!(r"^", opening!(), r"(?:i(?:'m| am)|we(?:'re| are)) (?:now |also |just )?(?:done with|ditching|killing|cutting|scrapping|removing|cancelling|canceling|sunsetting|retiring|skipping|settling on|betting on|committing to|locking (?:in|down)) (?:the |our |all )?[\w.+#-]+"))
        .unless(r"\bdone with (?:it|this|that|them|these|everything|the (?:first|second|tests?|review|change|fix))\b|\b(?:it|this|that)(?: now)?[.! ]*$|\b(?:while|when|if|once)\b"),
    cue(Decision, User, concat!(r"^", opening!(), r"we(?:'re| are)? (?:gonna|going to|'ll be) (?:be )?(?:us(?:e|ing)|go(?:ing)? with|keep(?:ing)?|drop(?:ping)?|ship(?:ping)?|support(?:ing)?|stick(?:ing)? (?:with|to)|move to|moving to|rewrite|host(?:ing)?|buy(?:ing)?|sell(?:ing)?|rent(?:ing)?|hir(?:e|ing)|stay(?:ing)?|skip(?:ping)?|cut(?:ting)?|kill(?:ing)?) \w+"))
        .unless(r"\b(?:it|this|that|the best)[.! ]*$|\b(?:later|tomorrow|next (?:week|month|sprint))\b"),
    cue(Decision, User, r"\bwe(?:'ll| will| won't| will not) (?:now |only |no longer |never |always |just |then |all )*(?:sell|buy|rent|hire|book|pay|take|run|build|release|launch|merge|split|share|publish|freeze|cut|limit|cap|charge|price|target|deploy|rely|sign|encrypt|track|treat|name|replace|rewrite|remove|deprecate|disable|enable|expose|cache|generate|invite|give|put|serve|require|round|assume|handle|start with|live with|let) [\w.+#'-]+")
        .unless(r"\b(?:later|tomorrow|next (?:week|month|sprint)|then we'll see|have to|need to|move on|see|soon|eventually|at some point|someday|when|once|after|until|in this (?:article|post|guide|tutorial|section)|let (?:you|me|them) know|take (?:a|another|it|care|that|this) ?(?:look|break|from here|later)?|run (?:it|this|that|the tests?|into|out)|give (?:it|that|this|you)|start with (?:it|that|this)|get|if)\b"),
    cue(Decision, User, r"\b(?:i|we)(?:'ve| have)? (?:now |just |already |finally )*(?:made (?:the|a|our|my) (?:decision|call|choice) to|locked in|committed to|ruled out|landed on|signed off on (?:using|going|the))\b")
        .unless(r"\b(?:one|what|which|that) (?:that )?(?:i|we)(?:'ve| have)? \w+ (?:on|in|out|to)\b|\bcommitted to (?:the (?:repo|branch|main|master)|git|main|master|this|that|it|a branch)\b"),
    cue(Decision, User, r"^(?:[\w'-]+ ){1,4}(?:is|are) (?:officially |now |definitely |completely )*(?:out(?: of (?:scope|the (?:mvp|release|first version|v1)))?|off the table|not happening|dropped|cancelled|canceled|cut from (?:the )?\w+)(?:[.! ]*$|[,;] )")
        .unless(r"^(?:time|it|this|that|he|she|they|the (?:time|timer|build|log|logs|output|disk|connection|request|error|frames?|packets?|token))\b|\b(?:requests?|connections?|packets?|frames?|messages?|events?|logs?|calls?|jobs?|builds?|pipelines?|runs?) (?:is|are)\b"),
    // What people tell an agent.
    cue(Decision, User, r"\bi (?:still |just |really )?want to (?:use|go with|switch|migrate|standardi[sz]e on|adopt|stick with|replace|drop) (?:[\w.+#-]+ )*[\w.+#-]+")
        .unless(r"\bi (?:\w+ )?want to \w+ (?:with |to )?(?:this|that|it|these|those|them|your|my|his|her|their|an?|the (?:time|opportunity|same|word|phrase|money|bathroom|car))\b|\b(?:know|learn|understand|see|try|don't|not sure)\b"),
    cue(Decision, User, r"\bi want (?:an? |the )?[\w.+#]+-based \w+"),
    cue(Decision, User, r"\b(?:we|i)(?:'ve| have)? (?:recently |now |just |already |finally |fully |since )*(?:(?:switched|migrated) (?:[\w.+#/-]+ ){0,3}(?:to|from|off|over to)|(?:moved|changed) (?:[\w.+#/-]+ ){0,4}(?:from [\w.+#/-]+(?: [\w.+#/-]+)? to|off|away from)) \w+|\bwe(?:'re| are) moving (?:away from|off(?: of)?) \w+")
        .unless(r"\b(?:when|once|before|after|until|since|because|while|why) we\b|\bport\b|\bswitched (?:seats|places|jobs|schools|roles|gears|topics|majors?)\b|\b(?:home|house|apartment|city|country|school|job|town)\b|\b(?:to|from|off|over to|away from) (?:it|this|that|them|you|me)\b|\bwhether\b"),
    cue(Decision, User, r"\bwe(?:'ve| have)? (?:now |just |already |finally |recently )*(?:replaced|swapped(?: out)?) (?:the |our )?(?P<p1>[a-z][\w.+#-]*(?: [\w.+#-]+){0,2}) (?:with|for|by) (?P<p2>[a-z][\w.+#-]*(?: [\w.+#-]+)?)(?: (?:for|in|on|everywhere)\b[^,;]{0,40})?[.! ]*$")
        .unless(r"\b(?:when|once|before|after|until|since|because|while|why) we\b|\b(?:it|this|that|them|one|ones|variables?|lines?|words?|texts?|strings?|names?|calls?|functions?|loops?|placeholders?|images?|tests?|values?|sugar|butter|batter(?:y|ies)|tires?|seats?|places?|hand|mistake|accident|mocks?|stubs?|last (?:year|month)|ago|previous|old (?:system|job|company)|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b"),
    // What is set to another number.
    cue(Decision, User, r"\blet's (?:just |all |rather |then |really |simply |now |please )*(?:set|change|raise|lower|bump|increase|decrease|reduce|extend|shorten|adjust|cap|limit)(?: up| down| back)? (?:the |our |all |every )?[\w'/-]+(?: [\w'/-]+){0,5}? (?:from [^,;]{1,16} )?(?:up |down |back )?(?:to|at) (?:about |around )?[$€£]?[0-9]")
        .unless(r"\b(?:line|step|variable|slide|page|question|chapter|list|sample|volume|zoom|brightness|temperature|alarm|oven|channel)\b|\bfor (?:this|that|the) (?:test|run|example|screenshot|moment)\b|\b(?:said|says|suggested|proposed|wrote|asked|last (?:year|month))\b"),
    cue(Decision, User, r"\bwe(?:'ve| have)? (?:now |just |already |finally |recently )*(?:changed|set|raised|lowered|bumped|increased|decreased|extended|shortened|adjusted|capped|limited)(?: up| down)? (?:the |our )[\w'/-]+(?: [\w'/-]+){0,5}? (?:from [$€£]?[0-9][\w.,%]*(?: \w+)? )?(?:up |down |back )?(?:to|at) (?:about |around )?(?:[$€£][0-9]|[0-9][0-9.,]* ?(?:%|(?:ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?|days?|weeks?|months?|years?|[kmgt]i?b|bytes|requests|retries|connections|threads|workers|replicas|items|rows|users|times)\b))")
        .unless(r"\b(?:port|line|variable|test|tests|fail\w*|errors?|bugs?|accident|accidentally|alarm|clock|oven|heating|volume|zoom|brightness|channel|table|bar|seed|assertion|said|says|last (?:year|month)|ago|previous|previously|(?:old|my|other) (?:system|job|company|employer)|latency|speed|times?|usage|size|memory|load|runtime|duration|coverage|version)\b|\b(?:when|once|before|after|until|since|because|while|why) (?:we|i)\b"),
    cue(Decision, User, concat!(r"^", opening!(), r"(?:go(?: ahead)?(?: and go)? with|go for) (?:(?:the |an? )?[\w.+#-]+)"))
        .unless(r"\bgo(?: ahead)?(?: and go)? (?:with|for) (?:it|that|this|them|these|those|you|your|me|him|her|whatever|both|an? (?:walk|run|swim|drive|coffee)|the (?:flow|first|second|third|last|former|latter|default|best|same|other|recommended|simplest|walk))\b|\bwith (?:my|our) (?:family|friends|wife|husband|kids)\b"),
    cue(Decision, User, concat!(r"^", opening!(), r"(?:for [^,;:]{3,50}, )?use [^,;:]{2,50}?(?:,? (?:instead of|rather than|and not) |(?:,| --| —| –| -)? not )(?:the old )?[\w.+#/@`'-]+"))
        .unless(r"\buse (?:this|that|it|these|those|them|the (?:following|above|same|given|attached|provided|other|new|old|first|second)|an? |your|my|his|her|more|fewer|less|different|another)\b|\b(?:here|in this (?:function|file|method|line|case|test|query|component)|for this|line \d+|above|below)\b|\bnot (?:only|just|because|sure|to|the)\b|, (?:i|it's|that's|they're) (?:find|like|can|read|hate|prefer|easier|\w+er)\b"),
    cue(Decision, Agent, r"\bi(?:'m| am) going with [\w.+#-]+|\bi(?:'ll| will)? (?:go|went) with [\w.+#-]+")
        .unless(r"\bwith (?:it|that|this|them|these|those|you|your|whatever|both)\b|\b(?:would|if)\b"),
    cue(Decision, User, r"\b(?:is|are) (?:now )?(?:dead|toast|staying|here to stay|the winner|our pick|good enough|deprecated as of)\b|\b(?:stays (?:in|on|out|off|single|as|where|at|put)\b[^?,;]{0,40}|stay (?:single|as they|where they)\b[^?,;]{0,40}|stays?|gets? (?:cut|dropped|axed|the axe|scrapped|postponed|pushed)|goes away|wins)(?: (?:as (?:is|it is|they are)|for (?:now|v1|launch)|from (?:the )?[\w ]{2,30}|until [\w ]{2,20}))?(?:[.!]*$|,)")
        .unless(r"^(?:it|this|that|he|she|they|which|who|if|when|why|the (?:error|bug|problem|test|log|page|screen|window|cursor|button|value|counter|process|request|connection|light|led|state|status|spinner))\b|\b(?:if|when|until|whether|because|why|keeps?|always|never|still) (?:\w+ )?(?:stays?|wins|goes)\b|\bgood enough (?:for|to|reason)\b.*\?"),
    cue(Decision, User, r"^(?:(?:ok(?:ay)?|fine|right|then|so|and|well)[,:.]? )*(?:the |our |all )?[\w.+#/-]+(?: [\w.+#/-]+){0,3} (?:moves?|goes?|switch(?:es)?|migrates?) (?:over )?(?:to|onto|from|behind) [\w.+#-]+")
        .unless(r"^(?:it|this|that|he|she|they|what|when|why|how|which|where|if|control|traffic|data|the (?:cursor|request|user|page|flow|error|output|log|logs|event|events|message|window|focus|mouse|camera|player|packet|packets|traffic|data|call|value|stream|job))\b|\b(?:goes|go) to (?:the|a|zero|null|sleep|stderr|stdout|\d)\b|\bevery|\balways"),
    cue(Decision, User, r"^(?:(?:ok(?:ay)?|fine|right|then|so|and|well|no)[,:.]? )*(?:let's|let us) (?:just |all |rather |then )?(?:go with|use|keep|stick|drop|switch|move|adopt|ship|store|avoid|skip|leave|postpone|call|settle|not)\b")
        .unless(r"\blet's (?:just )?(?:keep (?:going|looking|trying|it up)|move (?:on\b|to the (?:next|other|last|first|second|question|point|topic|tests?|docs))|leave (?:it|that) (?:here|there)|use (?:this|that|it)|go with (?:this|that|it)|call it a day|not (?:worry|forget|panic|mess|break|screw|rush|waste|overthink|get ahead|get (?:too|carried)|lose))\b"),
    cue(Decision, User, r"^(?:(?:ok(?:ay)?|fine|right|then|so|and|well|no)[,:.]? )*(?:no|zero) [\w -]{3,40}[,.;:–—-]+ ?(?:we|i'll|we'll) \w+")
        .unless(r"\bno (?:worries|problem|rush|need|idea|way|wonder|luck|thanks|clue|difference|change|error|errors|output|result|results|wait|one|thanks|hurry|pressure|joke)\b"),
    cue(Decision, User, r"\bwe (?:just |simply |then )?(?:train|cap|build|profile|publish|deploy|host|keep|store|ship|render|generate|import|export|serve|charge|bill|round|cache|run|test|support|render|send|log|sync|index|target|pay|rent|buy|cook|book|travel|fly|drive) (?:it |them |the [\w ]{2,20} |everything |all )?(?:with|at|on|from|in|as|by|via|through|to|only|until|once|per|every|and) [\w.+#-]+[^?]*,? (?:not|instead|and that's (?:it|final)|full stop|period|and (?:i'm|we're) done|[\w.+-]+ (?:blew|failed|broke|was|is) )")
        .unless(r"\b(?:if|when|currently|today|used to|why|how)\b"),
    cue(Decision, User, r"^(?:(?:ok(?:ay)?|fine|right|then|so|and|well)[,:.]? )*[\w.+#/-]+(?: [\w.+#/-]+){0,2} (?:for all|for every|for everything|for anything|for the new|everywhere|across the board|first)\b[^?]*(?:, (?:the |touch |[\w ]+ )(?:stay|stays|gets?|later|goes|can wait|old)\b)")
        .unless(r"^(?:thanks|wait|what|why|how|use)\b"),
    cue(Decision, User, r"\b(?:i'm|im|we're|were) done with (?:the |our )?[a-z][\w.+#-]*(?:[.,!]|$)|\bwe (?:booked|signed|ordered|bought|hired|licensed|paid for|reserved|registered) (?:the|a|an|our|with) [\w-]+,? so\b"),
    cue(Decision, User, r"\bwe (?:now |just |only |simply |then )?(?:keep|stick (?:with|to)|stay (?:with|on|at)|drop|skip|ditch|go (?:with|for)|settle (?:on|for)|target|standardi[sz]e on|leave out|give up on|gave up on|went (?:with|for)) (?:the |our |one |a |both |all |on |to )*[\w.+#-]+")
        .unless(r"\bwe (?:\w+ )?keep (?:getting|seeing|having|running|going|hitting|losing|coming|in mind|finding|an eye|track|it up|talking|making|forgetting)\b|\b(?:if|when|why|how|should|can|do|did|what|whether|until|once|before|after|because|since|as|where|unless|that|sure|glad|ensure|think|hope|happy|know|way|reason) we\b|\bgo for (?:lunch|a (?:walk|drink|beer|run)|dinner)\b|\bskip (?:it|this|that|ahead|to)\b"),
    cue(Decision, User, r"\b(?:was|were|is|are|got|been) (?:discussed and )?(?:rejected|ruled out|turned down|voted down|buried|shelved|vetoed|off the table|out of the (?:running|question|race))\b|\b(?:replaces|supersedes|takes over from|takes the place of) (?:the |our )?[\w.+#-]+ (?:from (?:now|here) on|everywhere|for good|in \w+)|\b(?:it shall be|that's what we'll do|that is what we'll do|that settles it|,? sold|, settled|we talked it over|(?:is|was|that's|thats) what [\w ]{2,24} signed off on)(?:[.!,]|$| with)|\b(?:is|are|'s) (?:our|the) (?:target|pick|choice|winner|one we (?:take|use|want))\b")
        .unless(r"\b(?:was|were|is|are|got|been) rejected (?:by|with|because|due)\b|\b(?:request|connection|login|token|upload|push|pr|payment|promise|packet|message|call|card|input|value|app|build|submission|job)s? (?:was|were|is|are|got|gets?|been) rejected\b|\bsold (?:out|it|the|my|our)\b|\b(?:if|when|why|whether)\b|\bbig deal|\bgreat deal|\bgood deal"),
    cue(Decision, User, r"^[^,;?]{3,50} only (?:from (?:now|here) on|going forward|for (?:v1|the mvp|launch|now)|in (?:v1|the mvp))\b|\bwe(?:'re| are) (?:building|doing|writing|making|shipping|releasing|launching|using|keeping|dropping|running|hosting|deploying) (?:it|this|everything|them|the [\w ]{2,20}) (?:in|with|on|as|to|via|by) [\w.+#-]+")
        .unless(r"\b(?:if|when|while|because|currently|right now|why|how|since)\b"),
    cue(Decision, User, concat!(r"^", opening!(), r"(?:(?:no|wait|hm+|sorry)[,. ]+)*back to (?:the |our )?[\w.+#-]+(?: [\w.+#-]+){0,2}(?: for (?:the |our )?[\w ]{2,30})?(?: then)?[.! ]*$"))
        .unless(r"\bback to (?:the |our )?(?:#?\d|pull request|pr|ticket|branch|step|phase|part|item|number|section|chapter|plan|conversation|discussion|list|todos?|to-?do|work|square|question|topic|bug|error|code|issue|point|drawing|start|top|beginning|original|previous|task|problem|normal|you|me|it|this|that|business|basics|reality|school|sleep|bed|home)\b"),
    cue(Decision, User, concat!(r"^", opening!(), r"for (?:the |our |all )?[\w ]{2,30}?,? (?:let's |we )?(?:go with|use|take|stick with|keep) [\w.+#-]+(?: [\w.+#-]+){0,3}[.! ]*$"))
        .unless(r"\b(?:this|that|it|them|now|today|here|example|instance)\b"),
    cue(Decision, User, r"\b(?:let's|lets) (?:do|have|take|make) (?:the |a |an )?[\w.+#-]+(?: [\w.+#-]+){0,4} then[.! ]*$")
        .unless(r"\b(?:it|this|that|break|look|same|quick|those|these) then\b|\b(?:take|have) a (?:break|look)"),
    cue(Decision, User, concat!(r"^", opening!(), r"(?:use|convert|keep|drop|store|switch|move|take|poll|render|host|ship|pin) [\w.+#/-]+(?: [\w.+#/-]+){0,6} then[.! ]*$"))
        .unless(r"\b(?:it|this|that|them|those|these)\b"),
    cue(Decision, User, concat!(r"^", opening!(), r"(?:(?:no|wait|hm+|sorry|nah)[,. ]+)*(?:(?:let's|lets|we|i'll|we'll) )?use (?:the |an? )?[\w'.+#-]+(?: [\w'.+#-]+){0,4} instead(?:[.,! ]|$)"))
        .unless(r"\b(?:this|that|it|them|here|in this|line)\b|\?"),
    cue(Decision, User, r"\bscrap (?:the )?[\w.+#-]+(?: [\w.+#-]+)?(?:,|;| and|:) |\bit(?:'s|s| is) [\w.+#-]+(?: [\w.+#-]+){0,3} (?:for (?:the )?[\w ]{2,30} )?after all\b")
        .unless(r"\bscrap (?:that|this|it)\b|\b(?:not|fine|ok|good|working|broken|wrong|right) "),
    // Changes.
    cue(Decision, User, r"^(?:(?:ok|no|wait|hm+)[,.]? )*(?:change of plans?|new plan|plan b|revised plan|correction)(?:\s*(?::|--|—|–| - ) ?\S+ \S+|, (?:we|let's|we'll|i'll|we're|use|go with|back to) \S+)")
        .unless(r"\b(?:correction|plan)(?:,|:) (?:the error|that should|what|which|is|was)\b"),
    cue(Decision, User, r"^(?:(?:ok|no|wait|hm+)[,.]? )*(?:actually|on second thoughts?|after all|change of plans?)[,:;–—-]* ?(?:we|i)(?:'ll| will|'re going to|'m going to| are going to)? (?:ship|use|go with|deploy|release|launch|keep|drop|store|host|build|stay (?:with|on)|meet|move|publish|write|support|skip|take|pick|stick (?:with|to)|switch|do without|start with|leave)\b \w+")
        .unless(r"\b(?:use|keep|drop|skip|take|pick|move|write) (?:it|this|that|them|these|those)\b|\bmove on\b|\bkeep (?:getting|seeing|running|hitting)\b|\bi (?:use|take|write|build|keep)\b"),
    cue(Decision, User, r"\b(?:we|i)(?:'re|'m| are| am)? (?:now )?(?:no longer|done|stopped) (?:us(?:e|ing)|go(?:ing)? with|support(?:ing)?|ship(?:ping)?|deploy(?:ing)?|host(?:ing)?|rely(?:ing)? on|maintain(?:ing)?|offer(?:ing)?) (?:the |our |any )?[\w.+#-]+")
        .unless(r"\b(?:if|when|why|because|since|until|once|as) (?:we|i)\b|\b(?:using|use) (?:it|this|that|them)\b|\b(?:years? ago|used to)\b"),
    cue(Decision, User, r"\blet's (?:just |all |rather |then |really |simply |now |please )*(?:switch|move|migrate|change|convert|port|upgrade|downgrade|go|jump|transition)(?: [\w'/.-]+){0,4}? (?:over |away |back )?(?:from (?:the |our )?[\w.+#-]+(?: [\w.+#-]+){0,2} (?:over )?to|to|onto|away from|off(?: of)?) (?:the |our |an? )?[\w.+#-]+")
        .unless(r"\b(?:this|that|it|them|these|those) (?:to|from|off|onto)\b|\b(?:to|onto|off|from) (?:it|this|that|them|there|here|these|those|him|her|you|me|work|sleep|bed|lunch|dinner|the (?:next|other|first|second|last|previous|top|bottom|end|start|beginning|point|right|left|question|file|line|page|docs|code|tests?|bug|issue|cinema|beach|park|gym|movies))\b|\b(?:tomorrow|next week|function|method|variable|class|file|lines?|column|component|loop)\b|\bgo (?:back )?to (?:the|a|my|your)\b"),
    cue(Decision, User, r"\blet's (?:just |all |rather |then |really |simply |now |please )*(?:replace|swap(?: out)?|exchange|substitute|trade) (?:the |our |all )?[\w.+#/'-]+(?: [\w.+#/'-]+){0,4} (?:with|for|by) (?:the |our |an? |plain |simple )?[\w.+#-]+")
        .unless(r"\b(?:this|that|it|them|these|those|here|line|lines|function|method|variable|call|loop|word|string|column|regex|if|typo|test|tests)\b"),
    cue(Decision, User, r"\blet's (?:just |all |rather |then |really |simply |now |please )*(?:ditch|dump|kill|retire|get rid of|scrap|axe|cut|nuke|deprecate|sunset|abandon|phase out|do away with|give up on|throw out|rip out|lose|kick out|(?:build|write|roll|host) our own) (?:the |our |all |off )?(?:[\w.+#/'-]+)")
        .unless(r"\b(?:ditch|dump|kill|retire|rid of|scrap|axe|cut|nuke|out|with|on|lose|abandon) (?:it|this|that|them|these|those|time|sight|track|focus|the (?:process|server|job|chat|small talk|crap|duplicates?|warnings?|errors?|typos?|unused|extra|blank|trailing))\b|\bkill (?:pid|port)\b|\b(?:here|line|lines|function|method|variable|file|build it|write (?:it|the|a|some)|build (?:the|a|some|and)|roll (?:it|back|the))\b"),
    cue(Decision, User, r"\blet's (?:just |all |rather |then |really |simply )*(?:do|run|make|have|keep|store|send|build|write|handle|render|load|import|export|sync|ship) (?:the |our |all |every |each )?[\w'/-]+(?: [\w'/-]+){0,3} (?:in (?:batches|chunks|parallel|one|two|three|stages|phases|waves|memory|plain|pure|[\w+#.]+script|python|rust|go|java|bash|sql|english|german)|as (?:an? )?[\w-]+|once|twice|every|per|with(?:out)? (?:an? )?[\w.+#-]+|by hand|nightly|weekly|daily|monthly|lazily|on demand|only|server side|client side|offline)\b")
        .unless(r"\b(?:it|this|that|them|these|those|again|care|caution|the (?:debugger|flag|profiler)|as (?:soon|well|long|fast|far|much)|once (?:more|again|and)|with (?:it|that|this|the|verbose|a (?:test|small|quick|simple|few)))\b|\bnot? (?:now|yet)\b"),
    cue(Decision, User, r"\b(?:we|i)(?:'re|'m| are| am) (?:now |also |just |gonna |going to be |finally |definitely |officially )*(?:ripping|tearing|throwing|kicking|phasing|pulling|leaving|cutting) (?:the |our |all |out )*[\w.+#/'-]+(?: [\w.+#/'-]+){0,2}? ?(?:out\b|and\b|for\b|from\b|in favou?r|[,;.!]|$)|\b(?:we|i)(?:'re|'m| are| am) (?:now |also |just |finally |definitely |officially )*(?:getting rid of|doing away with|giving up on|going back to|going all[- ]in on|ditching|dumping|axing|nuking|rolling our own|building our own|self-?hosting|open-?sourcing|rewriting (?:it|this|that|the [\w ]{2,20}) in|porting (?:it|this|that|the [\w ]{2,20}) to|converting (?:it|the [\w ]{2,20}) to|swapping|moving (?:off|onto)|outsourcing|consolidating on|betting on|dropping) [\w.+#/'-]+")
        .unless(r"\b(?:while|when|because|since|until|as|if) (?:we|i)(?:'re|'m| are| am)\b|\b(?:out|of|to|off) (?:it|this|that|them|here|now)\b|\bthrowing (?:an?|the) (?:error|exception)|\bpulling (?:the|from|an?|my|it|up|in)\b|\bleaving (?:for|at|in|now|early|late|home|town|today|tomorrow|tonight|the (?:office|house)|soon)\b|\b(?:errors?|frames|packets|connections|requests|rows)\b"),
    cue(Decision, User, concat!(r"^", opening!(), r"(?:(?:i'm|we're|i am|we are) )?not going to (?:bother (?:with|to)|use|do|add|support|build|implement|write|rewrite|pay for|touch|migrate|include|ship|wait for|invest|maintain|port|host|hire|buy|spend|go with) (?:the |our |any |an? )?[\w.+#'-]+"))
        .unless(r"\b(?:this time|right now|today|now|if|it|this|that|because|unless|until)[.! ]*$|\b(?:lie|happen|work)\b|\b(?:do|use|touch) (?:it|this|that|anything|them)\b|\bif\b"),
    cue(Decision, User, r"\b(?:final (?:call|answer|decision|verdict|word|say)|verdict|decision)(?: (?:is )?(?:on|about|for|regarding|re) [^:,;]{2,40}?)?(?: is)?(?: ?: ?|, (?:it's|it is|we|i|they|the) )\w+")
        .unless(r"\b(?:no|what|which|need|waiting|wait|make|before|until|for|after|any|the last|old|pending|your|a|open|next) (?:final )?(?:call|answer|decision|verdict|word|say)\b|: (?:tbd|pending|open|none|unknown|\?)"),
    cue(Decision, User, r"\b(?:i|we)(?:'ve| have)? (?:now |finally )?made up (?:my|our) minds?\b(?:.{0,40}[,:;–—-]| (?:to|that) )").unless(r"\b(?:once|when|until|haven't|before|after|if|not) "),
    cue(Decision, Anyone, r"^(?:following|as per|per|in line with|based on|given|going by|according to) (?:(?:your|our) (?:[\w-]+ )?(?:choice|decision|call|agreement|pick|preference|discussion|chat)|what (?:we|you)(?:'ve| have)? (?:agreed|decided|chose|settled|picked)(?: on)?),? \w+").unless(r"\b(?:should|could|would|can|may|might|shall|here (?:are|is)|here's|seems?|sounds?|looks? like|appears?|particularly|usually|(?:good|great|solid|strong|sensible|perfect|safe) (?:choice|option|fit|plan|candidates?|contenders?)|i (?:suggest|recommend))\b"),
    cue(Decision, User, concat!(r"^", opening!(), r"(?:went|ended up going) (?:for|with) (?:the |an? )?[\w.+#-]+(?: [\w.+#-]+){0,4}(?:[,;.!]| in the end| after all|$)"))
        .unless(r"\bwent (?:for|with) (?:it|that|this|them|an? (?:walk|run|swim|drive|coffee|beer|drink)|lunch|dinner|my|her|him|the (?:kids|family|flow))\b"),
    cue(Decision, User, r"\b(?:we|i) (?:keep|stay|stick|go|start|launch|ship|charge|target|support|publish|deploy|release|host|store|use|build|buy|rent|sell|hire|drop|skip|pay) (?:[\w.+#'/-]+ ){0,6}?(?:and (?:put|hide|drop|move|keep|leave|skip|call it)|behind a (?:feature )?flag|for (?:now|v1|the (?:first|mvp|launch|beta|demo))|until (?:v\d|the (?:launch|release|beta|audit)))\b")
        .unless(r"\b(?:if|when|should|can|do|did|how|why|what|whether|could|would|until|once|before|after|where|as|that|sure|where) (?:we|i)\b|\?|\b(?:usually|always|often|sometimes|used to)\b|\bgo (?:and|to|get|buy|for)\b"),
    // Preferences.
    cue(Preference, User, r"\bi (?:really |much |strongly |generally |usually |always |still |also |personally |now |actually |would |'d )*prefer\b").unless(r"\bprefer (?:that|this|it)[.!]?$|\bi prefer (?:coffee|tea)\b|\bprefer not to (?:say|tell|answer|discuss|talk|think|comment|share)\b").clear(),
    cue(Preference, User, r"\bi'd (?:much |really |strongly |also )*(?:prefer|rather)\b").clear(),
    cue(Preference, User, r"\bi would (?:much |really |strongly |also )*(?:prefer|rather)\b"),
    cue(Preference, User, r"\bi (?:really |much |also |do )*(?:like|love) (?:it (?:when|if)|when|to (?:have|see|keep)|having|seeing|my \w+ (?:to|in|with))\b"),
    cue(Preference, User, r"\bi (?:really |just |also |personally )*(?:don't|do not) (?:really |much )?(?:like|want (?:you to|any|to see|to have))\b")
        .unless(r"\bany ?more\b|\b(?:this|that|it|them|those)(?: (?:one|either|at all))?[.!…]*$|\bwant to\b|how (?:this|that|it)|\bthe (?:way|look|idea)\b"),
    cue(Preference, User, r"\bi (?:really |just |also |personally |absolutely )*(?:hate|dislike|can't stand|detest)\b").unless(r"\b(?:this|that|it|them)[.!]?$|\bhate (?:to|that|how)\b"),
    cue(Preference, Anyone, r"\b(?:my|your|the user's) (?:\w+ )?preference (?:is|would be)\b").unless(r"\bpreference is (?:key|important|what)\b"),
    cue(Preference, User, r"\bi (?:always |only |really )?want (?:all|every|each|any|you to (?:always|never))\b|\bi (?:always |only |really )?want you to (?:keep|write|use|answer|ask) .*\b(?:always|every|each|all|whenever|only|never)\b|\bi (?:always|only|never) want\b|\bi want .*(?:from now on|going forward|in (?:the )?future)\b"),
    cue(Preference, User, r"(?:^|: |; |please )(?:and |but |also,? |also: |and also |oh,? |btw,? |ok,? |looks good[.,] )*(?:please )?(?:always|never) (?:ever )?[a-z]+")
        .unless(r"\b(?:always|never) (?:on|in|at|good|bad|full|a|an|the|nice|fun|great|there|with|so|too|more|up|out|off|like|got|really|quite|even|once|actually|truly|came|went|knew|felt|took|made|thought|wanted|happens|works|worked|fails|failed|heard|seen|used to|[a-z]+ing)\b|\b(?:character|persona)\b|\bnever ?mind\b|\b(?:always|never) (?:ever )?(?:[a-z]*[b-hj-rtv-z]s|[a-z]{2,}[ac-df-z]ed)\b|\b(?:always|never) (?:be|been|is|was|has|had|have|were|mind|again|saw|said|told|ran|left|met|ate|gave|found|kept|lost|won|bought|brought|taught|sat|stood|spoke|wrote|drove|flew|fell|grew|began|understood)\b|\b(?:it|this|that|he|she|we|you|i|they)[, ]+(?:always|never)\b")
        .clear(),
    cue(Preference, User, r"(?:^|[,:;] |\band |\bplease )(?:from now on|in (?:the )?future|going forward)[, ]+(?:please )?(?:(?:always|never|do|don't|do not) )?[a-z]+")
        .unless(r"\b(?:from now on|in (?:the )?future|going forward)[, ]+(?:we|it|this|that|the|there|they|our|all|everything|which|if)\b"),
    cue(Preference, User, r"\b[a-z]+ .+ from now on[.!]?$").unless(r"\b(?:we|it|they)(?:'ll|'re| will| are| is)\b"),
    cue(Preference, User, r"^(?:and |but |also,? |oh,? |btw,? )?(?:please )?(?:don't|do not|dont)(?: you)?(?: ever)? (?:add|use|write|put|include|commit|create|leave|introduce|import|generate|start|end|mention|abbreviate|reformat|squash|amend)\b")
        .unless(r"\b(?:yet|now|this|that|it|these|those|today|for the moment|until|let me|forget|worry|mind|bother)\b|\b(?:don't|do not|dont)(?: you)?(?: ever)? \w+ them\b"),
    cue(Preference, User, r"\b(?:don't|do not|dont) ever\b").clear(),
    cue(Preference, User, r"\b(?:i|we) (?:always|only|never) (?:use|write|commit|name|deploy|merge|squash|rebase|release|review|ship)\b")
        .unless(r"\b(?:always|only|never) \w+ (?:this|that|it|these|those|them|to|about|for|at|in|on|anything|much|enough)\b|\b(?:because|why|but|since|until)\b|^(?:what|why|how)"),
    cue(Preference, User, concat!(r"^", opening!(), r"[\w/ -]{3,50} only ?(?:[,;:–—]|--| - ) ?(?:and )?(?:no|not|never) [\w-]+")).unless(r"\b(?:is|are|was|were|it|this|that|he|she|they|i|you|not|if|there)\b[^,;:–—]* only\b"),
    cue(Preference, User, concat!(r"^", opening!(), r"no [\w-]+(?: [\w-]+){0,3},? please\b|^", opening!(), r"no (?:emojis?|abbreviations|magic numbers|inline styles?|default exports|class components|wildcard imports|global state|semicolons|new dependencies|external dependencies|third-party dependencies|orms?|hardcoded \w+|commented-out code|comments in|print statements|console\.logs?)\b"))
        .unless(r"\bno (?:worries|rush|thanks?|need|problem|hurry|more|idea|wait|one|matter|doubt|longer)\b|\b(?:found|yet|were|was|is|are|shown|left|there|so far|because)\b"),
    cue(Preference, User, concat!(r"^", opening!(), r"stop (?:using|adding|writing|putting|creating|generating|including|committing|apologi[sz]ing|summari[sz]ing|inserting|importing)\b")).unless(r"\bstop \w+ (?:it|that|this|them|those|these)(?: now)?[.!]*$|\b(?:for now|this time|when|once|after|until)\b"),
    cue(Preference, User, concat!(r"^(?:[^:]{3,60}: ?)?", opening!(), r"keep (?:your |the |all |my |our )?(?:[\w-]+ )?(?:responses?|answers?|replies|prose|code|commits?|messages?|functions?|files?|comments?|docs?|explanations?|summar(?:y|ies)|prs?|pull requests?|methods?|names?|components?|controllers?|diffs?) (?:\w+ ){0,2}(?:concise|short|small|brief|simple|minimal|focused|terse|under|below|atomic|pure|thin|consistent|to (?:a minimum|the point|one))\b")).unless(r"\b(?:this|that|these|those) \w+ |\bfor now\b"),
    cue(Preference, User, r"\bi (?:really |generally |usually |also |do )*(?:like|love|prefer|want) (?:short|small|concise|explicit|plain|simple|clean|descriptive|strict|minimal|early|detailed|functional|typed|named|consistent|conventional) [\w-]+")
        .unless(r"\b(?:how|that you|dress|food|meals?|walks?|trips?|music|songs?|movies?|hair|rooms?|books?|gifts?|weddings?|recipes?)\b"),
    cue(Preference, User, r"\bi(?:'d| would) like (?:you to (?:always|never|only)|(?:all|every|each) )\b|\bi want [\w -]{2,40} (?:for|in|on|with) (?:every|all|each|any) \w+").unless(r"\bi want (?:to|you|us|him|her|them)\b|\b(?:of (?:it|this|that|them)|all (?:day|night|the time|of)|every (?:day|night|morning|week))\b"),
    cue(Preference, User, concat!(r"^", opening!(), r"(?:always )?prefer [^,;:]{2,60} (?:over|to|instead of|rather than) \w+")),
    cue(Preference, User, concat!(r"^", opening!(), r"use [^,;:]{2,50} (?:for (?:everything\b|(?:all|every|each|any)(?: (?:new|our|the))? [\w-]+)|everywhere|throughout|across the (?:project|codebase|repo|board|app)|by default)"))
        .unless(r"\buse (?:this|that|it|these|those|them|the (?:following|above|same|given|attached|provided))\b|\ball (?:of )?(?:this|that|these|those|\d|three|four|two|five)\b"),
    cue(Preference, User, concat!(r"^", opening!(), r"keep [\w' -]{2,40} (?:under|below|within|shorter than|smaller than|to at most|at most) (?:\d+|one|two|three|four|five|ten|a)\b")).unless(r"\b(?:this|that|these|those|it) |\bfor now\b"),
    // Habits.
    cue(Preference, User, concat!(r"^", opening!(), r"use [^,;:]{2,50}? (?:instead of|rather than|over|not) [^,;:]{2,40}, (?:i|it's|that's|they're) \w+")),
    cue(Preference, User, r"\bi (?:really |just |also |do |still )*(?:like|love|prefer|want) (?:my|your|all|our) [\w ]{2,40}? (?:small|short|clean|tiny|concise|plain|tidy|consistent|explicit|sorted|grouped|minimal|boring|dry|readable|separate|at the (?:top|bottom|end|start))\b")
        .unless(r"\b(?:house|room|food|coffee|hair|kitchen|in this (?:file|function|test|one)|right now)\b"),
    cue(Preference, User, concat!(r"^", opening!(), r"(?:kindly )?(?:answer|respond|reply|write|explain|talk|comment|document|format|name) (?:me |things |everything |it all |your \w+ |all \w+ )?(?:only |always |just )?(?:in|with|using|as|like) (?:short |plain |simple |full |proper |british |american |u[sk] |the |a )*(?:bullet|bullets|english|german|french|spanish|sentences?|points?|markdown|lists?|imperative|present tense|past tense|table|tables|words|steps|code|camelcase|snake_case|kebab-case|emoji|diff|patches)\b"))
        .unless(r"\b(?:this|that) (?:one|time|question)\b"),
    cue(Preference, User, r"^(?:(?:also|and|ok(?:ay)?|please|btw|oh)[,:]? )*(?:when(?:ever)?|if|once|after|before) (?:you|i|we) [\w' ]{3,40},? (?:i (?:want|need|expect|like|prefer)|please|always|never|you should|show me|tell me|ask me|give me|run|add|write|update|include|explain|use|put|keep|don't|do not|make sure)\b")
        .unless(r"\b(?:if you (?:want|like|can|have time|need|think|see|find|look|agree|don't mind)|once you(?:'re| are) (?:done|finished)|when you(?:'re| are) (?:done|finished|ready)|when you (?:have|get) (?:a|the)|if i (?:could|can|am|were|was|had|[a-z]+ed)|after you|before you (?:start|go|do)|i (?:run|tried|try|open|click|start|call|get|press|do|use|look|was|went|got|had)|we (?:ship|release|deploy|merge|launch|cut|go))\b"),
    cue(Preference, User, r"^(?:(?:also|and|ok(?:ay)?|please|btw|oh|for (?:\w+ ){1,3}(?:code|stuff|work|tests|scripts))[,:]? )*(?:in|for|on|with|inside) (?:the |my |our |all |every |any )?[\w/-]+(?: [\w/-]+){0,2},? (?:please )?(?:always |never )?(?:put|use|keep|write|add|prefer|avoid|place|sort|group|name|start|end|leave|stick to|no|don't) [\w-]+")
        .unless(r"\b(?:now|this|that|these|today|here|the following|instead of the current|again|i|we|he|she|they)\b"),
    cue(Preference, User, concat!(r"^", opening!(), r"(?:pls |please )?(?:talk|speak|explain (?:it|things|everything)|write|answer) to me (?:like|as)|^", opening!(), r"be (?:short|brief|blunt|direct|honest|concise|terse|strict|critical|kind|precise|explicit) (?:with|to|about|in|when)\b|^", opening!(), r"show me [\w ]{3,40} (?:first|before)\b")).unless(r"\b(?:this|that|now)\b"),
    cue(Preference, User, concat!(r"^", opening!(), r"(?:type hints|types|docstrings|comments|tests|logging|doc comments|annotations|error handling|commit messages|log messages|variable names|names) (?:on|for|in) (?:everything|every|all|each|anything|english|german|present tense|the imperative)\b")).unless(r"\b(?:is|are|was|were|fails?|failed|missing)\b"),
    cue(Preference, User, concat!(r"^", opening!(), r"(?:for|in) [\w -]{2,30},? i (?:always |usually |only )?(?:want|use|prefer|like) [\w-]+")).unless(r"\bi want (?:to|you|it|this|that|a|an)\b|\b(?:this|that|now|today)\b"),
    cue(Preference, User, concat!(r"^", opening!(), r"(?:code )?(?:comments|commits|commit messages|names|tests|docs|functions|messages|prs|variables|errors|logs|classes|answers|replies|explanations|summaries|diffs|identifiers|migrations) should (?:always |never |only |not )?[a-z]+")).unless(r"\b(?:now|yet|be (?:done|fixed|updated|moved|removed|deleted)|still|instead)\b"),
    cue(Preference, User, concat!(r"^", opening!(), r"no [\w' -]{3,40}(?:, no [^,]{3,30})*[,;:–—-]+ ?just (?:the|a|an|give|clear|plain|simple|short|action|code|results?|bullets?|answers?|facts|straight\w*)\b"))
        .unless(r"\bno (?:time|idea|specific|thoughts?|questions?|one|worries|problem|need|rush|clue|error|errors)\b"),
    cue(Preference, User, r"\b(?:don't|do not|dont|no need to|stop|quit|skip) (?:ever )?(?:explain(?:ing)?|summari[sz](?:e|ing)|lump(?:ing)?|repeat(?:ing)?|apologi[sz](?:e|ing)|praise|praising|ask(?:ing)? (?:me )?(?:before|for|about)|tell(?:ing)? me (?:how|what|about)|wrap(?:ping)?|rename|renaming|reformat(?:ting)?|refactor(?:ing)?|reorder(?:ing)?|guess(?:ing)?|assum(?:e|ing)|over-?engineer(?:ing)?|hedge|hedging|flatter(?:ing)?|pad(?:ding)?|bump(?:ing)?|push(?:ing)?|merg(?:e|ing)|force)\b")
        .unless(r"\b(?:yet|now|this (?:one|time|file)|today|for the moment|until|anymore|worry|the (?:first|second|last))\b|\bdon't (?:merge|push|rename) (?:it|that|this|the)\b|\b(?:push|bump|forc|rename|renam)\w* (?:it|that|this|them)\b|\bwhy\b"),
    cue(Preference, User, r"\b[\w-]+ over [\w-]+,? (?:every time|always|any day|everywhere|please)\b|\b(?:i|we) (?:swear by|insist on) [\w-]+|^(?:[\w' ]{2,40}, )?[\w-]+ over [\w-]+[.!]*$").unless(r"\bover (?:time|there|here|it|and|all|again|\d|the|years?|over|the \w+)[.!]*$|\b(?:is|are|was|went|go|popping)\b[^,]* over"),
    cue(Preference, User, concat!(r"^", opening!(), r"use [^,;:]{2,50} for (?:the |all |my |our )?(?:indentation|indenting|naming|commit messages|commits|tests|testing|logging|logs|dates|branch names|branches|variable names|file names|errors|error handling|formatting|types|strings|comments|docs|documentation|imports|constants|money|amounts|timestamps|ids)\b"))
        .unless(r"\buse (?:this|that|it|these|those|them|the (?:following|above|same|given|attached|provided))\b|\b(?:here|this time|now|this (?:file|test|function|one))\b"),
    cue(Preference, User, r"\bi(?:'d| would) (?:really |also |much )*like (?:the|all|my|our|your) [\w -]{3,60}? (?:to (?:be|have|use|stay|start|follow|read|look)|in|with|without|as|kept|written|sorted|named|formatted)\b")
        .unless(r"\b(?:now|today|this (?:one|time|file)|right away|back|at the (?:top|bottom)|your (?:assistance|help|opinion|thoughts|advice|feedback|input|support))\b"),
    cue(Preference, User, r"\b(?:every time|each time|whenever) (?:you|we|i) \w+[^,;:]{0,60},? (?:please )?(?:run|add|write|update|ask|check|show|tell|use|commit|format|keep|leave|mention|list|include|explain|start|put|bump|tag|regenerate|rebuild)\b")
        .unless(r"\b(?:it|this|that|they|the (?:app|page|server|test|script)) (?:crash\w*|fail\w*|breaks?|hangs?|happen\w*)\b|\bi (?:get|see|have to|tried|try)\b"),
    cue(Preference, User, r"\b(?:before|after) (?:each|every|any|you) (?:commit|commits?|change|push|edit|pr|pull request|release|merge|deploy|task|step|answer|file)\w*[^,;:]{0,40},? (?:please )?(?:always )?(?:run|add|write|update|ask|check|show|tell|use|format|make sure|verify|rebase|lint|summari[sz]e|test)\b|\b(?:run|ask|check|show me|tell me|format|lint|rebase|summari[sz]e|test|update) [^,;:]{0,60} (?:before|after) (?:each|every|any) (?:commit|change|push|edit|pr|pull request|release|merge|deploy|task|step|answer|file)\b"),
    cue(Preference, User, r"^[^,;:]{3,60}(?:,| -| --| —| –|;)? (?:always|every (?:single )?time|each time|without exception|by default)(?:,? please)?[.! ]*$")
        .unless(r"\b(?:it|this|that|he|she|they|i|we|which|the (?:app|page|server|test|script|build|bug|error)) (?:\w+ )*(?:always|every time|each time)|\b(?:is|are|was|were|fails?|crash\w*|happens?|works?|hangs?|breaks?|gets?|same|error|different|off|on|enabled|disabled|as) (?:\w+ )?(?:always|every|each|by)\b|\b(?:is|are|was|were|does|uses?|runs|returns|sets|comes|has)\b"),
    cue(Preference, User, r"\b(?:just|only|always) (?:give|show|tell|send) me [^,;?]{3,60} when(?:ever)? (?:an?|any|the|something|things) |\bso (?:please |pls )?keep (?:your |the )?(?:answers?|replies|responses?|messages?|explanations?|code) (?:\w+ )?(?:short|brief|simple|concise|tiny)\b|\bexplain (?:things|everything|stuff) (?:to me )?(?:without|in|like|as) \w+")
        .unless(r"\b(?:this|that) (?:one|time)\b|\?"),
    cue(Preference, User, r"\bi (?:really |generally |usually |also |do |just |still )*(?:like|love|prefer|want|need) my [\w-]+(?: [\w-]+){0,2} (?:with|without|in|as|on|to|[\w-]+)\b")
        .unless(r"\b(?:want|need) my \w+ (?:back|to|fixed|now)\b|\bmy (?:job|dogs?|cats?|kids?|coffee|tea|house|team|life|eggs|steak|wife|husband|family|friends?|car|home|new|old|bike|city|boss|job|money|work|sleep|time|privacy|phone|laptop)\b|\b(?:like|love) my \w+ (?:so|very|a lot|too|more)\b"),
    cue(Preference, User, r"^[^,;:?]{3,60}\b(?:in|for|on|with|of) (?:everything|anything|whatever|all(?: the)? [\w-]+|every [\w-]+|each [\w-]+) (?:you|we|i) (?:write|do|send|produce|generate|make|touch|give|add|create|post|draft|show|commit|build|change)\b")
        .unless(r"\b(?:is|are|was|were|thanks|thank|worry|happy|interested|responsible|sorry|proud)\b"),
    cue(Preference, User, r"\b(?:ask|tell|show|warn|ping|consult|talk|walk|check with|run it by|remind) (?:it by |with )?me\b[^,;?]{0,50} (?:before|whenever|every time|each time) (?:you|we|touching|changing|deleting|running|adding|pushing|editing)\b")
        .unless(r"\b(?:remind me to|now|today|later|this time)\b"),
    cue(Preference, User, r"\b(?:drives? me (?:nuts|crazy|mad|insane|up the wall)|annoys? (?:me|the hell out of me)|bugs? me when|(?:my )?pet peeves?|gets? on my nerves|makes? my eyes bleed|makes? me cringe|gives? me a headache|i can't (?:stand|deal with)|i get (?:annoyed|mad|angry|lost|confused) (?:when|if|by|with))\b|\bi'm (?:really |just )?(?:not (?:a |such a |much of a )?(?:big |huge )?(?:fan of|into)|picky about|allergic to|old school about|strict about|a (?:big |huge )?(?:fan of|believer in|stickler for)|used to (?:seeing|reading|having))\b")
        .unless(r"\b(?:this|that|it|the (?:movie|book|band|series|song|bug|weather|food|noise|error|test|new office|film|show))\b|\ballergic to (?:nuts|peanuts|dust|gluten|milk|cats|dogs|pollen)"),
    cue(Preference, User, r"\b(?:every|all|each|any|always|by default|everything|everywhere)\b.*\bunless i (?:say|ask|tell)|\bunless i (?:say|ask|tell)(?: you)?(?: otherwise| so| for)?\b")
        .unless(r"\b(?:now|today|this one)\b"),
    cue(Preference, User, r"^[\w' -]{3,40} in [\w+#-]+(?: only)?(?:,? (?:not|never|no) [\w+#-]+)?,? for (?:anything|everything|all|every|any|each)\b|^(?:[\w-]+ ){0,2}[\w-]+s (?:in|as|with|without|under|first|before)\b[^?]{0,40} please(?:[,.! ]|$)")
        .unless(r"\b(?:is|are|was|were|this|that|these|those|thanks|now|can|could|would|does)\b"),
    cue(Preference, User, concat!(r"^", opening!(), r"(?:[\w-]+ ){0,2}[\w-]+: ?(?:please )?(?:show|comment|explain|document|test|keep|use|put|write|add|give|name|sort|prefer|avoid|no|never|always|list|format) [^?]*\b(?:every|each|all|always|never|any|before and after|only|everywhere|by default|no exceptions)\b"))
        .unless(r"^(?:[\w-]+ ){0,2}(?:todos?|tasks?|bugs?|steps?|next|fix|feat|updates?|questions?|plan|issue|error|errors|results?|goal|problem|now|first|second|idea|example|summary|story|title|prompt|instructions?|it|this|that|following|these|list|here|please|write|add|show): ?"),
    cue(Preference, User, r"\bi (?:really |always |only |just )*want [\w .+#/-]{2,40} (?:everywhere|wherever|whenever|in (?:every|all|each|any)|across|throughout)\b")
        .unless(r"\bwant (?:to|you to see|this|that|it)\b"),
    cue(Preference, User, concat!(r"^", opening!(), r"keep (?:the |your |all |my |our )?[\w '-]{2,40}? (?:[\w-]+[ -]free|free of [\w-]+|to a minimum|as (?:short|simple|small|boring|plain|close|flat) as|in sync|short|boring|simple|tidy|minimal|readable|alphabetical|sorted|flat)\b"))
        .unless(r"\b(?:this|that|it|for now|today|here)\b|\bi keep\b"),
    cue(Preference, User, r"\b(?:no need to|you don't (?:need|have) to|(?:please )?don't bother) (?:ever )?(?:explain\w*|summari[sz]\w+|ask\w*|apologi[sz]\w+|comment\w*|list\w*|repeat\w*|describe|describing|tell\w*|show\w*|thank\w*|justify\w*|confirm\w*|narrat\w+|walk\w*|paste|pasting|quote|quoting)\b[^;?]*\b(?:every|each|all|always|ever|anything|everything|whenever|any)\b")
        .unless(r"\b(?:this time|now|today|yet|all of (?:this|that|it))\b"),
    cue(Preference, User, r"\b(?:so |then |just )(?:always|never) (?:run|use|write|ask|add|show|tell|put|keep|commit|check|test|assume|explain|include|answer|start|leave|push|format)\b")
        .unless(r"\b(?:it|this|that|he|she|they|i|we|you|which|who|the \w+) (?:\w+ )?(?:so |then |just )(?:always|never)\b"),
    // Constraints.
    cue(Constraint, User, r"\bwe (?:also |still |only )*(?:(?:need|have) to |must )?(?:only )?(?:support|target) (?:only )?(?:node|python|java|php|ruby|go|rust|postgres|mysql|ie|internet explorer|chrome|firefox|safari|edge|windows|macos|linux|android|ios|es)(?: ?\d[\w.]*)?\b").unless(r"\b(?:later|tomorrow|eventually|someday|next (?:week|sprint|release|month)|should|dropped|stopped|why)\b|\bwe support\b"),
    cue(Constraint, User, r"\b(?:must|may|can|should|shall) (?:never|under no circumstances|at no time)\b|\bmust (?:not|n't|always|only)\b|\bmustn't\b").unless(r"\bthinks?\b|\byou must (?:not )?be\b|\b(?:can|should) never\b.*\b(?:work|happen|happens)\b|\bi can never\b|\bcan never (?:quite|really|seem|get|find|remember|understand|tell|figure|stop|decide|have too)\b").clear(),
    cue(Constraint, User, r"\bmust (?:still |also |all |always |only |be able to )*(?:be (?:smaller|larger|faster|shorter|less|fewer|no more|under|below|above|within|at least|at most|able|compatible|backwards?|unique|idempotent|deterministic|reproducible|stable|available|accessible|safe|in|on|read-only|[a-z]+ed|kept|built|written|sent|shown|run)|support|work|run|keep|stay|remain|handle|return|finish|fit|use|contain|include|pass|respond|survive|start|comply|match|go through|come|live|fail|exit|accept|reject|log|validate|check|follow|conform|build|compile|have (?:a|an|at)|exist|target|ship|expose|preserve)\b").unless(r"\bone must\b|\bbe (?:tired|bored|excited|annoyed|scared|pleased|related|interested|used to)\b|\bmust (?:have (?:been|had|gone|come|missed|forgotten)|say|admit|read|see|click|be (?:a (?:bug|mistake|problem|typo)|something|because|wrong|kidding|the (?:reason|cause))|mean)\b|\bmust-|\bmust haves?\b|\bi must\b|\byou must (?:be|have|know|see|include)\b|\b(?:that|which|who) must\b|\b(?:momentum|going)\b|\b(?:so|and) (?:those|these|that|this) |^(?:the )?(?:situations?|sentences?|paragraphs?|essay|story|poem|text|tone|title|answers?) must\b"),
    cue(Constraint, User, r"(?:\b(?:it|everything|this|that) |^.{0,40}\b(?:the|all|our|every|each) (?:[\w-]+ ){1,5}|^(?:[\w-]+ ){0,2}[\w-]+s )(?:now |still |always |also )*(?:has|have|needs?) to (?:be (?:backward|forward|compatible|smaller|faster|under|below|less|able|idempotent|stable|reproducible|deterministic|thread|source|binary|at least|at most|available|accessible|offline|self)|keep|stay|remain|work|run|support|fit|come|return|respond|survive|comply|pass|conform|start in|finish (?:in|within))\b")
        .unless(r"\b(?:i|we|you|they|someone|somebody) (?:\w+ )?(?:has|have|need) to\b|\bkeep (?:a|an|in|up|track)\b|\b(?:still|yet|later|tomorrow|next (?:week|sprint))\b"),
    cue(Constraint, Anyone, r"\b(?:is|are|be) (?:strictly |not |never |absolutely )*(?:not allowed|not permitted|forbidden|prohibited)\b|\b(?:we're|you're|are|is) not allowed to\b|^no .+ (?:is|are) (?:allowed|permitted)\b").unless(r"\bwhich is\b|\btypically\b|\boff-limits\b|^no longer\b"),
    cue(Constraint, User, r"\b(?:is|are) (?:required|obliged|mandatory|obligatory)\b").unless(r"\b(?:what|which|that) (?:is|are) required\b|\b(?:no|nothing|none)\b"),
    cue(Constraint, User, r"\b(?:can't|cannot|can not) (?:add|use|change|break|rely|depend|require|exceed|store|load|assume|introduce|touch|drop|share|expose|modify|rename|upgrade|ship|allow|accept|afford)\b")
            .unless(r"\b(?:until|before|because|yet|somehow|anymore|for some reason)\b|\b(?:i|you|they|he|she) (?:can't|cannot)|\bafford (?:to (?:wait|lose|fail)|any|this|that|it)\b"),
    cue(Constraint, Agent, r"\b(?:must|may|shall|should) (?:never|only ever|not ever)\b|\b(?:must|has to|have to) (?:be (?:kept|retained|stored|encrypted|smaller|under|below|within)|stay (?:within|under|below|in)|keep working)\b|\b(?:must|may) not (?:leave|exceed|be (?:stored|shared|logged|published|changed))\b"),
    cue(Constraint, User, r"^(?:(?:also|and|but|oh|note|remember|keep in mind|btw|fyi)[,:]? (?:that )?)*(?:the |our |all |any |every |each )?(?:[\w'-]+ ){1,5}(?:has|have|needs?) to (?:be |stay |remain |run |fit |finish |load |start |respond |return |work |cost |weigh |take )*(?:below|under|within|above|over|at least|at most|less than|fewer than|more than|no more than|smaller than|shorter than|in under|inside|into|on|without) (?:the )?(?:\d|a |an |one|two|three|five|ten|the|budget|iso|gdpr|hipaa|pci)")
        .unless(r"^(?:(?:also|and|but|oh|note)[,:]? )*(?:i|we|you|they|he|she|someone|somebody) |\b(?:still|yet|later|tomorrow|next (?:week|sprint))\b"),
    cue(Constraint, User, r"\b(?:hard (?:limit|requirement|cap|rule|deadline|constraint)|non-negotiable|strict(?:ly)? (?:limit|requirement|maximum|no)|(?:maximum|minimum|limit|budget) is (?:at most |only |about |around |exactly )?[$€£]?\d|capped at|no more than \d|at most \d|at least \d+ (?:%|percent|days|years|months|chars|characters)|under no circumstances)\b")
        .unless(r"\b(?:error|returned|found|there (?:are|were)|shows?|got|currently|right now|was|seems?|took|takes)\b|\bat least \d+ (?:times?|of)\b"),
    cue(Constraint, User, r"\b(?:nothing|none of (?:it|this|the (?:data|code))|no (?:data|pii|personal data|customer data|secrets?|traffic|code|logs?|user data|telemetry)) (?:may|can|should|must|is allowed to|gets to|leaves|goes|is (?:stored|logged|sent|shared|kept)|are (?:stored|logged|sent|shared|kept))\b")
        .unless(r"\b(?:yet|found|because|error|anymore|so far)\b|\bno (?:data|logs?|traffic|code) (?:is|are|can|goes) (?:shown|found|missing|coming)"),
    cue(Constraint, User, r"\b(?:only|just) (?:gpl|mit|apache|bsd|permissive)[\w -]*licen[cs]es?\b|\bno (?:a?gpl|copyleft)\b|\b(?:wcag|gdpr|hipaa|pci(?:[ -]dss)?|soc ?2|iso ?27001|ferpa|coppa)\b(?: [\w.]+){0,3} (?:applies|is required|compatible)\b|\b(?:needs?|has|have|must)(?: to)?(?: be)?(?: fully| [\w-]+)? (?:compliant|comply|conform)\b")
        .unless(r"\b(?:what|how|explain|about)\b"),
    cue(Constraint, User, r"\b(?:may|can|must|is allowed to|are allowed to) (?:not|never)\b|\b(?:cannot|can ?not|cant|can't|may not|must not|mustnt) (?:[a-z]+ )?(?:break|exceed|go (?:over|above|below|past|into|out)|contain|leave|be (?:on|in|at|above|below|over|under|near|longer|bigger|more|less|slower|stored|shared|changed|moved|touched|exposed|public|logged)|take (?:more|longer)|cost|drop below|touch|block|depend|rely|grow|need|leak|show|start before|run (?:on|longer|as))\b")
        .unless(r"\b(?:i|you|they|he|she) (?:cannot|can ?not|cant|can't|may not)|\b(?:until|til|till|before|yet|because|somehow|why|might|for some reason)\b|\bcan never\b|\bit (?:cannot|can't|cant)\b|\bmay not (?:necessarily|be (?:able|the|a|as|so|too|worth))"),
    cue(Constraint, User, r"\b(?:stays?|has to hold|have to hold|needs to hold|must hold|holds?|capped|cap|ceiling|floor|limited|hard-?capped|maxed) (?:at|to|of|is|on)? ?[^,;.]{0,20}?\d[^?]*(?:,| -| –| —|\.$|$)")
        .unless(r"\b(?:we|i|let's|lets|currently|right now|should we|why|was|hold (?:on|up)|stays? (?:open|up)|if|not limited|in stock)\b[^,]*\d"),
    cue(Constraint, User, r"(?:[,;.–—-]|\b(?:is|are)) ?(?:no exceptions?|not negotiable|non-?negotiable|hard requirement|hard limit|full stop|period|ever|under any circumstances|or (?:legal|ops|compliance|the auditors?|apple|google|gdpr people)[\w ]{0,20} (?:will|complains?|rejects?|kills?|block))\b[.!]*$")
        .unless(r"\b(?:best|worst|first|only|biggest|coolest|never|don't|do not|dont|hardly|prefer|style|write|use) [^.]*ever\b|\b(?:have you|did you|has it|for the (?:time|first) period)\b|\bever (?:since|seen|had)\b|\b(?:time|grace|trial|retention|billing) period\b"),
    cue(Constraint, User, r"\b(?:every|each|all) [\w -]{2,30}? (?:needs?|must have|has to have|have to have|requires?|must include|has to include|get|gets) (?:an? |the )?[\w -]{2,40}[^?]*(?:bound to|because|by law|for (?:legal|compliance|audit|accessibility|the auditors?)|wcag|gdpr|hipaa|otherwise|or (?:it|the|we))\b|\b(?:is|are|we're|we are) bound (?:to|by) [\w-]+"),
    cue(Constraint, User, r"\b[\w ]{2,40} (?:is|are|get|gets) [\w -]{2,20} only\b(?:,|[.!]*$|;)|\bonly [\w -]{2,30} (?:may|can|is allowed to|are allowed to) \w+")
        .unless(r"\b(?:i|this|that|it) (?:is|are|get)\b|\bonly (?:i|you|we) can\b|\bthe only|\b(?:if|when|not|feel)\b"),
    cue(Constraint, User, r"\b(?:min(?:imum)?|max(?:imum)?|lowest|highest|oldest|newest) (?:supported )?[\w .+-]{2,30} (?:is|stays at|remains|must be|has to be|we (?:support|allow|target) is) [\w.]*\d")
        .unless(r"\b(?:currently|right now|was|measured|returned|msrv)\b"),
    cue(Constraint, User, r"\b(?:under|below|within|max\.?|maximum|at most|no more than|no longer than|not more than|min\.?|minimum|at least|up to|less than|no [\w ]{2,20} (?:under|below|over|above)) (?:of )?[$€£]?\d[\d.,]* ?(?:ms|s|sec|secs|seconds?|mins?|minutes?|hours?|days?|mb|gb|kb|tb|mib|gib|mm|cm|m|px|pt|pages?|chars?|characters|words|fps|%|percent|eur|euros?|usd|dollars?|bucks|k|people|users|guests|items|lines|columns|rows|mah|ma|v|volts?|w|watts?|mhz|ghz|hz|db|kg|g)\b|\b\d[\d.,]* ?(?:pages|chars|characters|words|minutes|seconds|hours|mb|gb|kb|people|guests|items|lines|euros|dollars)? (?:max|maximum|tops|at most|at the most|or less|or fewer|or more|minimum)\b(?: [a-z]+ [a-z]+)?(?:[^a-z]|$)")
        .unless(r"\b(?:took|takes|taking|currently|right now|got|measured|shows?|showed|went|dropped|now|was|were|reduced|improved|from|i (?:can|could|did|have|had|ran|got|spend|eat|walk|sleep|want|need|am|will|would|think|guess)|i'm|i've|try|find|give me|write|make it|show me|about|around|roughly|estimate|average|for at least|credits|reduce|shorten|trim|rewrite|generate|create|recipe|bake|cook|cool|cover|per (?:day|week|month)|usually|often|so far|already|left|should take)\b|\bup to (?:date|speed)\b"),
    cue(Constraint, User, r"\b(?:don't|do not|dont|never) (?:ever )?(?:touch|edit|modify|change|delete|write to|commit to|push to) (?:anything|any (?:file|of|code)|files|code|stuff|the (?:files|code)) (?:in|under|inside|outside|below|on)\b").unless(r"\b(?:yet|now|today|this time)\b"),
    cue(Constraint, User, r"^(?:(?:also|and|but|note)[,:]? )*[\w' -]{3,60}? (?:has|have) to (?:stay|remain|keep) [\w-]+").unless(r"^(?:(?:also|and|but|note)[,:]? )*(?:i|we|you|they|he|she|someone) |\b(?:still|yet|later|tomorrow)\b|\bkeep (?:a|an|in|up|track)\b"),
    cue(Constraint, User, r"\bzero (?:downtime|data loss|dependencies|telemetry|external|allocations)\b|\b(?:nobody|no one|no-one) (?:may |can |is allowed to )?(?:upgrades?|touches|touch|deploys?|merges?|pushes|push|changes?|edits?|sees?|gets access)\b|\binsists? (?:on|that)\b|\bmay only (?:ever )?\w+|\b(?:has|have) to be (?:encrypted|signed|logged|audited|anonymi[sz]ed|pseudonymi[sz]ed|redacted|deleted|retained|kept|archived|validated|escaped|localized|localised|translated|accessible|versioned|reviewed|approved|documented) (?:at|in|by|for|within|before|after|as|on|with|every|twice)\b|\bwe (?:can't|cannot|may not|must not|mustn't) (?:ask for|request|require|collect|log|track|send|keep|host|process|export|reveal|show|publish|print|call|hit|scrape|sell|charge)\b")
        .unless(r"\b(?:yet|until|still|later|next week|why|somehow|anymore)\b"),
    cue(Constraint, User, r"^(?:(?:and|also|but|oh|note)[,:]? )*nothing [\w/.~' -]{2,40} (?:may|can|must|should|is allowed to|gets to)\b|^(?:(?:and|also|but|oh|note)[,:]? )*[\w' -]{2,40} (?:can't|cannot|can not|cant|mustn't|must not) (?:run|start|restart|go down|be down|happen|reboot|deploy) (?:between|during|before|after|on|at|while) |\b(?:has|have) to fit (?:in |into |within |on )?(?:a |the )?\d|^(?:(?:and|also|but|oh|note)[,:]? )*no [\w-]+(?: [\w-]+)? anywhere\b")
        .unless(r"\b(?:until|till|yet|because|found|see|before (?:the|it|we|i|you) )\b|\?|\b(?:i|we|you) (?:can't|cannot)"),
    cue(Constraint, User, r"\b(?:no|not|never|nothing|nobody|none|only|must|max|maximum|min|minimum|under|within|less|more|at most|at least|all|every|can't|cannot|mustn't|have to|has to)\b[^?]*(?:,| -| –| —) ?(?:ever|no exceptions?|period|full stop|under any circumstances|not negotiable|non-?negotiable)(?:[,;.!]| -| –| —|$)")
        .unless(r"\b(?:best|worst|biggest|coolest|hardly|if|when)\b[^,]*, ever|\?|^(?:don't|do not|never|always|please|use|write)\b"),
    cue(Constraint, User, r"\b(?:nothing|no one|nobody) (?:on|in|outside|inside|from|at) [\w' -]{2,30} (?:is|are|gets?) (?:allowed|permitted|supposed|able|to be)\b|\b(?:you're|you are|we're|nobody is|no one is) not (?:allowed|supposed|permitted) to\b|\b(?:is|are) (?:strictly |absolutely )?off[- ]limits\b|\b(?:we|they|the [\w ]{2,24}) (?:only|just) (?:accept|allow|take|support|permit|pay for|let us|give us)s?\b|\b(?:won't|will not|refuses? to|doesn't) (?:upgrade|accept|pay|allow|let us|budge|approve|go (?:above|over|beyond))\b[^?]*$")
        .unless(r"\b(?:why|compile|compiler|error|test|it|script|button|app|page|browser|python|npm|git|you)\b (?:won't|will not|refuses? to|doesn't)|\b(?:if|anymore|for some reason|yet)\b|\b(?:only|just) (?:take|support)s? (?:a|one|two|care)"),
    cue(Constraint, User, r"\b(?:insists?|insisting|dictates?|mandates?|demands?|requires?) (?:on |that |we |a |an |the |at )?[^?]{0,40}(?:\d|max|min|signed|encrypted|approv|only|no )")
        .unless(r"\b(?:function|method|compiler|api|library|package|build|script|test|it|this|that|which|crate|module|plugin|command|npm|pip|cargo|step|install\w*) (?:insists?|requires?|demands?)\b|\brequires? (?:python|node|rust|java|go|npm)\b"),
    cue(Constraint, User, r"\b(?:we|i) (?:can't|cannot|can not) (?:afford|spend|go|pay|use|have|take|lose|risk|do) (?:more than|over|above|beyond|less than|any more than|past) [$€£]?\w+")
        .unless(r"\b(?:yet|today|right now)\b"),
    cue(Constraint, User, r"\b(?:has|have|needs?) to (?:end|be (?:over|done|finished|back|ready|out|live|submitted|delivered|shipped|in)|finish|start|arrive|happen|leave|launch|ship|run) (?:by|before|no later than|not later than|latest|until) (?:the )?(?:\d|mon|tues|wednes|thurs|fri|satur|sun|jan|feb|mar|apr|may|june|july|aug|sep|oct|nov|dec|christmas|easter|noon|midnight|end)")
        .unless(r"\b(?:i|we|you) (?:has|have|need) to\b"),
    // What a team does not want in what it builds.
    cue(Constraint, User, r"^(?:(?:no|and|but|so|also|ok(?:ay)?|right|actually|note|remember)[,:.]? )*we (?:really |definitely |certainly |explicitly )*(?:don't|do not|never) want (?:(?:to (?:have|use|add|store|keep|ship|support|depend on|rely on|expose|allow|send|call|write|break|load|log|mix|share|put|require|leak|hard-?code|duplicate|touch|import|introduce|commit|block|overwrite|mutate|cache|couple|force)\b|an? |the |our |one |two |multiple |more than |separate |users? |people |customers? |clients? )[\w'./ -]{3,}|any [\w.+#'-]+(?: [\w.+#'-]+){0,2}[.! ]*$)")
        .unless(r"\b(?:it|this|that|them|these|those)[.! ]*$|\b(?:anything|something|things|yet|now|today|right away|if|i think|maybe)\b|\b(?:to have to|to add to|to keep (?:[a-z]+ing|you|asking))\b|\bwant the (?:same|old|new) "),
    cue(Constraint, User, r"^(?:(?:no|and|but|so|also|ok(?:ay)?|right|actually|note|remember)[,:.]? )*we (?:shouldn't|should not|should never) (?:ever )?(?:use|add|store|keep|ship|support|depend on|rely on|expose|allow|send|call|write|break|load|log|mix|share|put|require|leak|hard-?code|duplicate|touch|import|introduce|commit|block|overwrite|mutate|cache|couple|force) [\w'./ -]{3,}")
        .unless(r"\b(?:it|this|that|them|these|those)[.! ]*$|\b(?:yet|now|today|if|i think|maybe)\b|\b(?:have|need) to\b"),
    // Facts about the environment.
    cue(Fact, User, r"^(?:(?:fyi|btw|oh|also|and|so)[,:]? )*(?:the|our) (?:[\w'-]+ ){0,4}?(?:budget|limit|price|fee|rate|rent|quota|timeout|target|cap|threshold|retention|interval|capacity|discount|salary)s? (?:(?:was|were|has been|have been|got) (?:raised|lowered|increased|reduced|cut|bumped|extended|shortened) (?:back |up |down )?(?:from [^,;]{1,20} )?to|(?:is|are) now) (?:about |at most |at least )?[$€£]?\d[\d.,]* ?(?:%|[a-z])")
        .unless(r"\b(?:if|why|error|fails?|failed|could|should|would|test|tests|try|done|behind|ahead|ago|last|year ago|of (?:them|these|those))\b"),
    cue(Fact, User, r"\b(?:we|i)(?:'ve| have)? (?:now |just |already )*(?:moved|switched|changed) (?:the |our |my )?[\w ./'-]{2,40}? (?:from (?:port )?\d+ )?to port \d{2,5}\b|\bport (?:of (?:the |our )?[\w .-]{2,30} )?(?:has |was |is )?(?:now |just )?(?:been )?(?:changed|moved|switched) (?:from \d+ )?to \d{2,5}\b|\b(?:changed|switched|moved) (?:the |our |my )?[\w ./'-]{2,40}? port (?:from \d+ )?to \d{2,5}\b")
        .unless(r"\b(?:if|why|error|fails?|failed|could|should|would|test|try)\b"),
    cue(Fact, User, r"^(?:(?:fyi|btw|oh|also|and|so)[,:]? )*[\w-]+ (?:took|has taken|is taking|takes) over (?:the |our |all )?[\w -]{3,40}(?: from [\w -]{2,20})?(?:[,;.!]|$)")
        .unless(r"^(?:(?:fyi|btw|oh|also|and|so)[,:]? )*(?:it|this|that|which|who|he|she|they|we|i|you|nobody|someone|everyone|ai|fear|anxiety|nature)\b|\btook over (?:an? hour|\d|the world|my|from)\b"),
    cue(Fact, User, r"\b(?:listens?|runs?|is|are|serves?|served|available|reachable|lives?|hosted|binds?)(?: \w+)? (?:on|at|under) (?:https?://)?(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|[a-z0-9-]+(?:\.[a-z0-9-]+)+):\d{2,5}\b|\b(?:listens?|runs?) (?:locally )?on :?\d{4,5}\b")
        .unless(r"\b(?:already in use|in use|(?:is|already|are) taken|conflict|another port|different port|change|changed|instead|killed?|started|i'll|let me|now running|returns?|error|fails?|refused|timed? ?out|when|gpus?|cores?|rows|users|machines|servers|nodes|files|tests)\b"),
    cue(Fact, User, r"^(?:the |our )?(?:(?:minimum|min\.?)(?: supported)?(?: [\w.]+){0,2} version|msrv)(?: is|:| =)+ ?(?:[a-z]+ )?v?\d"),
    cue(Fact, User, r"^(?:the |our |all )?(?:[\w-]+ )?(?:logs?|output|artifacts?|builds?|backups?|uploads?|reports?|dumps?|migrations|fixtures|configs?|secrets|certificates|certs|assets|docs) (?:go|goes|live|lives|are|is|end up|ends up|get written) (?:to|in|into|under|at) [`']?(?:~|\.{0,2}/|[\w.-]+/)[\w./~*-]+")
        .unless(r"\b(?:wrong|missing|broken|bug|error|failing)\b"),
    cue(Fact, User, r"\b(?:ci|cd|production|prod|staging|(?:the|our) (?:app|api|backend|frontend|site|service|pipeline|website|server|demo)|we|everything)(?: \w+)? (?:runs?|is hosted|is deployed|are deployed|deploys?|hosts?|builds?|tests?|provision|lives)(?: \w+)? (?:on|in|with|to|via|using) (?:aws|gcp|google cloud|azure|github actions|gitlab|jenkins|circleci|kubernetes|k8s|vercel|netlify|heroku|fly\.io|cloudflare|digitalocean|hetzner|docker|ecs|lambda|render|railway|terraform|ansible|pulumi|helm|buildkite)\b")
        .unless(r"\b(?:want|should|fails?|failed|broken|error|instead|when|later|tomorrow|next)\b"),
    cue(Fact, User, concat!(r"^", opening!(), r"(?:this|the|our) (?:project|repo|repository|codebase|backend|frontend|stack|monorepo|app|api|site|client) (?:uses|is (?:built (?:on|with|in)|written in|based on)) [a-z][\w.+#-]+|^", opening!(), r"we use [a-z][\w.+#/-]+(?: [\w.+#/-]+){0,2} (?:for|as)\b"))
        .unless(r"\buses? (?:it|this|that|them|these|too|a lot|more|the|an?|up|way|up to|about|around|each|to)\b|\b(?:when|whenever|but|instead|because)\b"),
    cue(Fact, Anyone, r"\b(?:listens?|listening|runs?|running|serves?|served|exposed?|available|reachable|binds?|bound|starts?|uses?|is|are)\b[^,;]{0,40}(?:\bport |[ (]:)\d{2,5}\b")
        .unless(r"\b(?:already in use|in use|(?:is|already|are) taken|conflict|free port|another port|different port|change|changed|instead|killed?|started|i'll|let me|now running|returns?)\b"),
    cue(Fact, Anyone, r"\bport (?:for|of) .+ is \d{2,5}\b|\bport is \d{2,5}\b"),
    cue(Fact, Anyone, r"\b(?:uses?|using|(?:is|are|we're)(?: now| still| all| currently)? on|runs?(?: on)?|running(?: on)?|pins?|pinned to|needs?|requires?|targets?|is|are|version is|minimum is|based on)(?: at least| only| still)* (?:version |v)?(?:python|node(?:\.js)?|pnpm|npm|yarn|bun|deno|debian|ubuntu|alpine|fedora|centos|macos|windows|ios|android|rust|rustc|cargo|go|golang|java|jdk|kotlin|scala|ruby|rails|php|laravel|django|flask|fastapi|react|vue|angular|svelte|next(?:\.js)?|postgres(?:ql)?|mysql|mariadb|sqlite|redis|mongo(?:db)?|elasticsearch|kafka|rabbitmq|kubernetes|k8s|docker|terraform|helm|nginx|typescript|swift|xcode|gcc|clang|llvm|cmake|gradle|maven|spring(?: boot)?|\.net|dotnet|c\+\+|pytorch|tensorflow|numpy|pandas|openssl|glibc|msrv) ?(?:version |v|@|>=? ?|~|\^)?\d+(?:\.\d+)*\b")
        .unless(r"\b(?:added|adds|introduced|support for|upgrade|upgraded|upgrading|bump|bumped|try|install|installed|let me)\b"),
    cue(Fact, Anyone, r"\b(?:uses?|pins?|pinned to|requires?|is on|are on|we're on|runs?) [a-z][\w.+-]* (?:version |v)?\d+\.\d+(?:\.\d+)?\b")
        .unless(r"\b(?:threshold|value|score|ratio|factor|weight|confidence|rate|about|than|least|most|of|to|added|adds|bump|upgrade|let me|least|section|step|chapter|figure)\b"),
    cue(Fact, Anyone, r"\b(?:is|are|at|on) (?:currently |still |now )?version v?\d+(?:\.\d+)*\b").unless(r"\b(?:let me|bump|upgrade|released?)\b"),
    cue(Fact, Anyone, r"\b(?:lives?|is located|are located|is stored|are stored|is kept|are kept|is found|are found|can be found|is placed|are placed|resides?|sits?|is written|are written|written|goes|are put|is put|is saved|are saved|is mounted|are mounted)(?: \w+)? (?:in|at|under|to|inside|into|on) (?:the )?[`']?(?:~|\.{0,2}/|[a-z]:\\|[\w.-]+/)[\w./~\\{}*-]+")
        .unless(r"^(?:it|this|that|these|they|which|there|here)\b|\b(?:bug|problem|issue|error|failure|cause|fix|change|changes|test fails|diff|i|i've|let me|now|just)\b"),
    cue(Fact, User, r"\b(?:is|are|it's) (?:all |both )?(?:in|at|under) (?:the )?[`']?(?:~/|\.{0,2}/|[\w.-]+/)[\w./~*-]+")
        .unless(r"\b(?:bug|problem|issue|error|failure|cause|fix|change|changes|diff|wrong|missing|broken|failing)\b|^(?:it|this|that|there|here)\b"),
    cue(Fact, Anyone, r"\b(?:host|server|url|endpoint|address|gateway|domain|dashboard|registry|instance|api|wiki|tracker|staging|production|prod|bucket|mirror|site|repository|repo|docs|replica|primary|master|db|database|postgres|mysql|redis|kafka|cluster|node|box|vm|machine|cache|broker|queue|proxy|bastion|jump ?host|runner|printer|nas|router|service|backend|frontend|app|grafana|jenkins|gitlab|sentry|prometheus)(?: [\w-]+){0,3} (?:is|are|lives?|runs?|sits|is hosted|is reachable|is available)(?: at| on| under)? [`']?(?:https?://\S+|[a-z0-9-]+(?:\.[a-z0-9-]+){2,}(?::\d+)?)"),
    cue(Fact, User, r"^(?:fyi,? |btw,? |by the way,? |note: |and |but |also,? )?(?:the [\w -]+ team|[a-z]+(?: [a-z]+)?|@[\w-]+) (?:owns|maintains|is responsible for|is in charge of|is the (?:owner|maintainer|contact)|looks after|takes care of) (?:the |our |all )?\w+")
        .unless(r"^(?:fyi,? |btw,? |also,? )?(?:(?:the|a|an|our|your|every) [a-z]+ (?:owns|maintains|is)|it|this|that|which|who|nobody|no one|everyone|each|the (?:class|struct|function|module|thread|process|caller|object))\b|\b(?:buffer|memory|pointer|lock|reference|handle|allocation)\b"),
    cue(Fact, Anyone, r"\bthe [\w -]+ team (?:owns|maintains|is responsible for|looks after)\b|\b(?:is|are) (?:now )?(?:owned|maintained|looked after) by (?:the )?[\w@-]+|\b(?:service|module|project|component|pipeline|app|api|system|codebase|repo|search|backend|frontend|billing|feature) now belongs to (?:the )?[\w@-]+(?: team)?[.! ]*$|\b(?:service|module|team|project|component|pipeline|app|api|system|codebase|repo|[a-z]{4,}ing|search|backend|frontend) is now [\w-]+'s (?:responsibility|area)\b|\bthe (?:owner|maintainer|point of contact|contact) (?:of|for) .+ is\b").unless(r"\b(?:owned|maintained|looked after) by (?:nobody|no one|noone|anyone)\b|\b(?:intellectual property|trademarks?|copyrights?|licensors?)\b|\b(?:thread|process|caller|object|struct|function|buffer|memory|pointer|lock|borrow|arc|root)\b"),
    cue(Fact, User, r"\b(?:the|our|my) (?:[\w-]+ )?(?:contact|account manager|dba|tech lead|team lead|maintainer|owner|designer|landlord|accountant|reviewer|pm|product owner|on-?call)(?: (?:for|at|in|of|there|on|over)\b[\w -]{0,30})? is @?[a-z]+")
        .unless(r"\bis (?:not|no|the|a|an|still|on|in|at|out|away|sick|asking|waiting|back|here|there|gone|happy|unhappy|very|really|always|ok|okay|fine|currently|off|busy|responsible|going)\b"),
    cue(Fact, User, r"\b(?:is|are|sits?|lives?|runs?|hosted|deployed|we're|we are)(?: all| now| still| currently)? (?:on|in|at) (?:a |an |our |the )?(?:hetzner|aws|gcp|azure|vercel|netlify|heroku|fly(?:\.io)?|cloudflare|digitalocean|ovh|linode|scaleway|render|railway|supabase|firebase|kubernetes|k8s|k3s|nomad|proxmox|docker|lxc|esxi|raspberry pi|rpi|synology|nas|github pages|gh-pages|s3|gcs|snowflake|bigquery|redshift|databricks|postgres|mysql|sqlite|mongo|dynamodb)\b")
        .unless(r"\b(?:if|should|could|would|error|fails?|failed|why|wrong|bug|stuck|broken)\b"),
    cue(Fact, User, r"\b(?:comes?|read|reads|pulls?|is pulled|are pulled|is fed|syncs?|loads?|is built|are built|is published|are published|get published|gets published|is generated|are generated|deploys?|deployed|is served|are served) from (?:the )?[`']?(?:[a-z][\w.-]*[._/:-][\w./:-]+|snowflake|bigquery|s3|kafka|redshift|stripe|salesforce|github|gitlab)\b")
        .unless(r"\b(?:error|exception|fails?|failed|warning|if|when)\b"),
    cue(Fact, User, r"\b(?:on|at|is|uses?|via|hangs on|wired to|connected to|bound to) (?:gpio|pin|i2c|spi|uart|com|tty\w*|usb|channel|slot|bus|vlan|lxc|rack|port|id|unit) ?[\w/-]*\d+\b")
        .unless(r"\b(?:error|change|changed|try|switch|move|in use|conflict)\b"),
    cue(Fact, User, r"\b(?:is the (?:one|person|guy|woman|team) who|is who|are the ones who) (?:owns?|runs?|maintains?|handles?|manages?|approves?|signs? off|knows?|administers?|pays?)\b|^(?:fyi,? |btw,? )?(?:[a-z]+ (?:from|in|at|over in|on) (?:the )?[\w -]{2,24}?|[a-z]+) (?:owns|maintains|runs|administers|looks after|is responsible for|handles) (?:the |our |all )\w+")
        .unless(r"^(?:it|this|that|who|what|nobody|everyone|the|a|an|script|cron|job|function|class|code|docker|ci|make|npm|jenkins|server|nginx|he|she|they|we|i|you|which|each|every)\b|\b(?:thread|process|object|function|memory|pointer|lock)\b"),
    cue(Fact, User, r"^(?:(?:fyi|btw|oh|ah|yes|ok(?:ay)?|also|and|so|by the way|note|well|it's|its)[,:.]? )*(?:(?:the|our|my|her|his|their|we|all|every|this|that|a) )?[\w'/. -]{2,60}? (?:is|are|sits?|lives?|runs?|happens?|listens?|talks? to|talk to|track|hosted|goes|reachable|answers?|speaks?|logs?|belongs?|points?|resolves?|ends? up|stays?|publish(?:es)?|deploy(?:s|ed)?|push(?:es)?|stored|kept|found|mounted)\b[^?]{0,60}?(?:https?://[\w.:/-]+|\b\d{1,3}(?:\.\d{1,3}){3}\b|/dev/\w+|\b\w+@[a-z0-9.-]+|~/[\w./-]+|\b[a-z0-9-]+(?:\.[a-z0-9-]+){1,}\.(?:example|local|internal|lan|lab|io|com|net|org|dev|corp|home|cloud)\b|\b[a-z][\w-]*\.(?:local|lan|lab|internal|corp)\b|(?:^| )/(?:etc|var|opt|srv|mnt|home|data|tank|usr)/[\w./-]+)")
        .unless(r"\b(?:isn't what|even though|undefined|error|errors|exception|fails?|failed|failing|broken|down|unreachable|timed? ?out|refused|denied|404|500|502|503|crash\w*|wrong|missing|bug|fix|change|changed|update|check|look|open|see|visit|try|click|read|show|find|why|if|when|should|could|would|can you|please|instead|i'll|let me|leak\w*|trying|planning|going to|topics?|twitter|facebook|instagram|youtube|article|link|blog|website|tutorial|according)\b"),
    cue(Fact, Anyone, r"\b(?:binds?|bound|listens?|answers?) (?:to|on|at) (?:https?://)?[\w.-]+:\d{2,5}\b").unless(r"\b(?:already|in use|changed|error|fails?|failed|i'll|let me|if|now)\b"),
    cue(Fact, User, r"\b(?:context(?: name)?|profile|vault path|kernel|driver|firmware|branch|pool|volume|dataset|table|job name|service name|container name|image)(?: (?:in|on|for|of) [\w ]{2,20})? is (?:called |named )?[`'#]?[\w./-]*[0-9_./-][\w./-]*|\b(?:is|are) on (?:driver|kernel|firmware|bios|release|channel|build|jdk|sdk) v?\d[\w.]*|\b(?:has|have|runs?) the (?:older |newer |old |new )?v?\d[\w.]* (?:driver|kernel|firmware|bios|release|sdk)\b|\bcomes? from (?:the )?(?:vault|secret|ssm|s3|env)(?: path| var\w*)? [\w/._-]+|\bcontact (?:there )?is (?:mr|mrs|ms|dr|prof)\.? [a-z]+")
        .unless(r"\b(?:error|fails?|failed|wrong|missing|change|check|if|should|could|please|why|what|which|now)\b"),
    cue(Fact, User, r"\b(?:hostname|host name|extension id|bundle id|app id|account id|project id|tenant|workspace|ssid|device id|serial(?: number)?|vlan|cluster name|db name|database name|schema|namespace|region|channel|queue|bucket|baud(?: rate)?|timezone|locale|charset)(?: (?:in|on|for|of) [\w ]{2,20})?(?: is |: ?| = ?)[`'#]?[\w./-]*[0-9_./-][\w./-]*|\b(?:hostname|namespace|schema|vlan|bundle id|extension id) [`']?[a-z0-9]*[0-9_.-][\w.-]+")
        .unless(r"\b(?:error|fails?|failed|wrong|missing|change|check|if|should|could|please|why|what|which|is (?:full|empty|down|a|an|the|not|too|really|very|so|my|breathtaking|called|named))\b"),
    cue(Fact, User, r"^(?:(?:fyi|btw|oh|also|and)[,:]? )*(?:the |our |my )?[\w /-]{2,30} (?:is|are) (?:a |an |two |three |all )?[a-z][\w-]* (?:[a-z]+\d[\w-]*|\d[\w.-]*|v\d[\w.]*)(?:,| and |[.!]*$)")
        .unless(r"\b(?:if|when|why|should|about|only|like|just|line|step|page|issue|pr|ticket|version|under|over|almost|around|below|above|between|at|in|on|of|to|for|by|than|is (?:a|an|the|now|at|in|on|about|over|under|almost|only|roughly|around|not|still) \d)\b"),
    cue(Fact, User, r"\b(?:our|my|the) [\w -]{2,24} (?:is|are) (?:@?[a-z]+)(?:(?: and|,| &) @?[a-z]+)*(?:,? (?:from|in|at|of) [\w -]{2,30})?, (?:he|she|they) (?:does|do|knows?|handles?|runs?|has|owns?|manages?|built|wrote|approves?)\b|^(?:fyi,? |btw,? )?(?:our |the |my )?(?:[\w-]+ )?(?:leads?|leaders?|contacts?|admins?|owners?|maintainers|reviewers?|approvers?|electrician|plumber|accountant|dba|dbas|designers?|pms?) (?:is|are) [a-z]+(?: and [a-z]+|, [a-z]+)*[.!]*$")
        .unless(r"\b(?:is|are) (?:not|no|the|a|an|still|on|in|at|out|away|sick|asking|waiting|back|here|there|gone|happy|unhappy|very|really|always|ok|okay|fine|currently|off|busy|responsible|going|slow|late|nice|great|right|wrong)\b"),
    cue(Fact, User, r"^(?:(?:btw|fyi|oh|and|also)[,:]? )*(?:the |our |my )?(?:[\w-]+ )?(?:mcu|cpu|board|chip|soc|gpu|os|distro|shell|compiler|kernel|sensor|router|printer|camera|runtime) is (?:an? |the )?[\w.+/-]*\d[\w.+/-]*|\b(?:password|passwords|credentials?|login|licen[cs]e key|api key|certs?|certificates?) (?:is|are|lives?|sits?) (?:in|under|on) (?:the |our |my )?[\w-]+")
        .unless(r"\b(?:error|wrong|missing|used|at \d|not in|stored in (?:plain|the (?:code|repo)))\b|\?"),
    cue(Fact, User, r"\b(?:is|are) (?:the (?:one|person|guy|woman|team|only one|people) (?:who|that) |(?:our|the) (?:\w+ )?(?:go-to|expert|contact|person|guy) (?:for|on) )(?:looks? after|takes? care of|is responsible|set up|built|wrote|designed|deals? with|does|do|know|the |our |all )?\w*")
        .unless(r"\b(?:which|who|what|that|this|it|he|she|they|you|i) (?:is|are) the\b|\b(?:if|whether)\b"),
    cue(Fact, User, r"^(?:(?:the|our|my) )?(?:python|node(?:\.js)?|java|jdk|ruby|php|go|rust|gcc|clang|cuda|postgres(?:ql)?|mysql|redis|docker|kernel|driver|numpy|pytorch|firmware)(?: (?:on|in|for|over) [\w' -]{2,30}| there| here)? (?:is|'s) (?:at |on |still |only |version |v)*\d+(?:\.\d+)*\b")
        .unless(r"\b(?:slow|faster|down|broken|full|better)\b"),
    cue(Fact, User, r"\bhostname (?:is |: ?|= ?)?[`']?[a-z][\w-]{2,}\b|\b(?:builds?|tests?|deploys?|backups?|releases?|ci|nightly|training|jobs?|cron) (?:happens?|runs?|goes|go|lives?|gets? (?:built|done)) (?:on|in|at) (?:the|our|my|an?) (?:[\w-]+ ){0,3}(?:box|machine|server|laptop|thinkpad|mac|mini|pi|nas|vm|cluster|workstation|pc|host|runner|basement|office|desk)\b")
        .unless(r"\bhostname (?:of|for|in|not|and|or|command|resolution|verification|mismatch|lookup|field|validation|from|to|that|which)\b|\b(?:error|fails?|failed|broken|why|how|should|slow)\b"),
    cue(Fact, User, r"\b(?:i'm|i am|we're|we are|i run|we run|i have|we have|i've got|we've got|it's|laptop's|machine's|box is|laptop is|machine is|box has|laptop has|machine has|server has|server is|phone is) (?:on |using |running |all on |still on |got |an? |the )*(?:[\w.-]+ ){0,3}?(?:(?:with )?\d+ ?(?:gb|gigs?|mb|megs|cores?|tb)\b|m[1-5]\b|rtx ?\d+|gtx ?\d+|a100|h100|macbook|thinkpad|raspberry pi|windows 1[01]|ubuntu|debian|fedora|arch|macos)")
        .unless(r"\b(?:if|want|buy|thinking|need|should|error|left|free|used|file|files|download\w*|log|of (?:logs?|data|files|images|photos|videos|traffic|text|json|csv))\b"),
    cue(Fact, User, r"\b(?:reads?|writes?|comes?|pulls?|loads?|lands?|goes|is read|is loaded) (?:from|to|into|in) (?:the )?(?:view|table|topic|bucket|queue|schema|dataset|collection|sheet|index|stream) [`']?[a-z][\w.-]*[._-][\w.-]+")
        .unless(r"\b(?:error|fails?|failed|wrong|should|change|why)\b"),
    // What was moved to another day or version.
    cue(Fact, User, concat!(r"^", opening!(), r"(?:the |our |my )[\w' -]{2,40}? (?:is|was|has been|got|were|have been) (?:now |just |already |officially )*(?:postponed|moved|pushed|delayed|rescheduled|brought forward|shifted|put off|deferred)(?: back| out| up| forward)?(?: from [^,;]{3,20}?)? (?:to|until) ", day!()))
        .unless(r"\b(?:if|when|once|unless|whether|not|never|almost|nearly|should|could|would|might|supposed|wants?|asked|says?|said)\b|n't\b"),
    cue(Fact, User, concat!(r"^", opening!(), r"(?:(?:we|i)(?:'ve| have)? )?(?:now |just |already |had to )*(?:postponed|moved|pushed|delayed|rescheduled|brought forward|shifted|put off|deferred) (?:back )?(?:the |our |my )[\w' -]{2,40}?(?: back| out| up| forward)?(?: from [^,;]{3,20}?)? (?:to|until) ", day!()))
        .unless(r"\b(?:if|when|once|unless|whether|not|never|almost|nearly|should|could|would|might|says?|said)\b|n't\b"),
    cue(Fact, User, concat!(r"^", opening!(), r"(?:the |our )(?:[\w'-]+ ){0,3}?(?:release|launch|deadline|demo|rollout|migration|cut-?over|go-live|milestone|freeze|beta|handover|kick-?off|move|review|audit)(?: date| day)?(?: is|'s)(?: now| still| set| scheduled| planned| due| fixed)*(?: on| for)? ", day!(), r"[^,;?]{0,12}(?:[.!]*$|,)"))
        .unless(r"\b(?:if|when|once|unless|whether|not|never|maybe|probably|should|could|would|might)\b|n't\b"),
    cue(Fact, User, concat!(r"^", opening!(), r"(?:we|i)(?:'ve| have)? (?:now |just |already |finally )*(?:upgraded|updated|bumped|downgraded|migrated|moved|switched)(?: over| up)? (?:(?:the |our |my |all )[\w ./-]{2,30}? )?(?:from [\w.+# -]{1,20}? )?to (?P<n1>[a-z][\w.+#-]*) v?\d+(?:\.\d+)*\b"))
        .unless(r"\b(?:if|when|once|unless|whether|not|never|should|could|would|might|pr|issue|phase|step|page|part|room|floor|building|option|tier|level)\b|n't\b"),
    cue(Fact, User, concat!(r"^", opening!(), r"(?:we|i)(?:'ve| have)? (?:now |just |already |finally )*(?:upgraded|updated|bumped|downgraded) (?P<n1>[a-z][\w.+#-]*)(?: from v?\d[\w.]*)? to v?\d+(?:\.\d+)*\b"))
        .unless(r"\b(?:if|when|once|unless|whether|not|never|should|could|would|might)\b|n't\b"),
    cue(Fact, User, concat!(r"^", opening!(), r"(?:the |our |my )[\w ./-]{2,30}? (?:was|has been|is|got) (?:now |just |already |finally )*(?:upgraded|updated|bumped|downgraded|migrated|moved) (?:from [\w.+# -]{1,20}? )?to (?P<n1>[a-z][\w.+#-]*) v?\d+(?:\.\d+)*\b"))
        .unless(r"\b(?:if|when|once|unless|whether|not|never|should|could|would|might|pr|issue|phase|step|page|part|room|floor|building|option|tier|level)\b|n't\b"),
    // Tasks.
    cue(Task, User, r"^[\w][\w', -]{1,40}: (?:todo|to-do|fixme): (?P<t>\S+ \S.*)$").clear(),
    cue(Task, Anyone, r"^(?:and |ok,? |also,? )?(?:todos?|to-dos?|to do|fixme|follow-?ups?|next steps?|next up|remaining(?: (?:work|tasks?|items?|steps?|todos?|points?))?|still (?:open|to do|missing|pending|left)|left to do|not done yet|open (?:item|task|point|work)s?|action items?|outstanding)(?: \([^)]{1,20}\))?(?: for [^:]{1,30})?\s*(?::|--|—|–| - |\bis to\b)\s*(?P<t>\S+ \S.*)$")
        .unless(r"\b(?:none|nothing|n/a|should)\b|: \$?\d")
        .clear(),
    cue(Task, User, r"\byou (?:will |'ll )?still (?:need|have) to (?P<t>.+)$").unless(r"\b(?:whether|if) .*\bstill\b"),
    cue(Task, Anyone, r"\b(?:we|i|someone|somebody) (?:will |'ll )?still (?:need|have|needs|has) to (?P<t>.+)$").unless(r"\b(?:whether|if|why|what|which) .*\bstill\b").clear(),
    cue(Task, Anyone, r"^(?:[\w ]{1,30}, |and |but )?(?P<t>(?:the |our |all )?.{3,80}? still (?:needs?|has|have) to be \w+.*)$").unless(r"\bwhat still\b|\b(?:whether|if|why|which) .*\bstill\b").clear(),
    cue(Task, Anyone, r"\b(?:what remains|what's left|all that remains|the remaining (?:work|task|step|part)|left to do|what is left)(?: to (?:be done|do))? is (?:to )?(?P<t>.+)$").clear(),
    cue(Task, User, r"\b(?:remind me to|don't (?:let me )?forget to|do not forget to|remember to|make sure (?:we|to) remember to) (?P<t>.+)$").unless(r"\b(?:try|trying|have|need|hard) to remember\b").clear(),
    cue(Task, User, r"\b(?:later|tomorrow|next (?:week|sprint|month)|at some point|eventually|someday|afterwards|after (?:the|that|this) ?\w*),? (?:we|i)(?:'ll)? (?:should|need to|have to|must|want to|will|ought to)(?: also)? (?P<t>.+)$"),
    cue(Task, User, r"\b(?:we|i)(?:'ll)? (?:also |then |will |still |really )*(?:should|need to|have to|must|want to|ought to) (?P<t>.+ (?:later|tomorrow|next (?:week|sprint|month|release|time)|at some point|eventually|someday|after the|before the|before we|once the|by (?:monday|tuesday|wednesday|thursday|friday|the end))\b.*)$")
        .unless(r"\bnow\b|\b(?:must|should) (?:not|never)\b|\bwant to\b.*\b(?:before|after|once) |\btold you\b"),
    cue(Task, Agent, r"\bwe (?:also |then |still )*(?:should|need to|have to|must) (?P<t>.+ (?:later|next (?:week|sprint|month|release)|at some point|eventually|before the (?:release|launch|beta)|after the (?:release|launch|beta))\b.*)$"),
    cue(Task, User, r"^(?:(?:and|also|ok(?:ay)?|oh|but)[,:]? )*(?:before|after|once|by) [^,;:]{3,60}?,? (?:we|i)(?:'ll| will)? (?:also |still |really )*(?:need to|needs to|have to|must|should|want to|ought to|gotta) (?P<t>.+)$")
        .unless(r"\b(?:must|should) (?:not|never)\b|\b(?:now|right away)\b"),
    cue(Task, User, r"\b(?:we|i) (?:also |still |really )*(?:should|need to|have to|must|want to|ought to|gotta) (?:also |still )?(?P<t>[^;]+?)(?:,| -| —| –)? ?(?:but )?(?:not (?:today|now|this week|right now|yet|this time|in this pr)|some other (?:time|day)|another (?:time|day)|when (?:we|i) (?:have|get|find) (?:the )?time|one of these days|sometime|soon)[.! ]*$")
        .unless(r"\b(?:must|should) (?:not|never)\b"),
    cue(Task, User, r"^(?:(?:and|also|ok(?:ay)?|oh|but|then)[,:]? )*(?:tomorrow|later|next (?:week|sprint|month|time)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|after (?:the|that|this) [\w -]{2,30})[,:]? (?:(?:i|we)(?:'ll| will) |(?:i|we)(?:'m| am|'re| are) (?:gonna |going to )?|let's )(?P<t>[a-z]+ \S.+)$")
        .unless(r"\b(?:be|see|know|meet|meeting|off|away|back|on (?:holiday|vacation)|talk|sleep|rest|find out) ?"),
    cue(Task, User, r"^(?:(?:and|also|ok(?:ay)?|oh|but|then)[,:]? )*(?:note to self|put (?:it|this|that) on the (?:list|todo)|for (?:later|the backlog|tomorrow|next (?:time|week|sprint))|backlog|parking lot|later)\s*(?::|--|—|–| - )\s*(?P<t>[a-z]+ \S.+)$"),
    cue(Task, User, r"^(?P<t>.{6,120}?) (?:can|has to|will have to|should|needs to) (?:wait (?:until|till|for) (?:later|tomorrow|monday|next \w+|the next \w+|after)|be done (?:later|tomorrow|next \w+|after \w+)|happen (?:later|tomorrow|next \w+|after \w+))\b")
        .unless(r"^(?:it|this|that|they|i|we|you)\b"),
    cue(Task, User, r"^(?:(?:and|also|ok(?:ay)?|oh|but|then|btw)[,:]? )*(?:before|after|once|when|by|at some point|next (?:week|sprint|month|quarter|year|time)|tomorrow|later|someday|eventually|later (?:on|this \w+)|(?:some ?time|sometime) (?:in|next|after|this) [\w ]{2,20}|in (?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|the fall|winter|\w+ (?:days|weeks|months))|(?:\w+ ){1,3}(?:before|after) (?:the|we|i|our|my)) ?[^,;:]{0,60}?,? ?(?:someone|somebody|we|i|the [\w -]{2,30}?)(?:'ll| will)? (?:also |still |really )*(?:need to|needs to|needs|need|have to|has to|must|should|want to|ought to|gotta|gonna|going to) (?P<t>.+)$")
        .unless(r"\b(?:must|should|need|needs) (?:not|never)\b|\b(?:right away|to be able)\b|^(?:\w+ )?when (?:the|a|an|it|this) (?:user|request|client|page|server|connection|button|event|message|cache|token|list|value|app|build|test|file|response|call)\b"),
    cue(Task, User, r"\b(?:remind me to|don't (?:let me )?forget to|note to self:?) (?P<t>.+)$").clear(),
    cue(Task, Anyone, r"\b(?:should|needs? to|must|has to) be (?P<t>(?:updated|changed|fixed|added|removed|cleaned up|documented|migrated|tested|rewritten|moved|renamed|revisited|replaced|refactored) (?:in a follow-?up|later|in a (?:later|separate|future) (?:pr|change|commit|step)|afterwards|next (?:week|sprint|release)|eventually|at some point|before .+|after .+|once .+))"),
    cue(Task, Anyone, r"^(?:after|once|when|as soon as) [^,;:]{3,60}, (?P<t>(?:the|our|all) [^,;]{3,60} (?:should|must|needs? to|has to|have to) (?:be (?:[a-z]+ed|taken|done|put|set|cut|run|rewritten|sent|built)|come out|go)\b[^,;]*)"),
    cue(Task, Anyone, r"^(?P<t>(?:the|our|all) [^,;]{3,60} (?:should|must|needs? to|has to|have to) (?:be [a-z]+|come out|go)(?: \w+){0,3}?) (?:once|after|as soon as) [^,;]{3,60}$")
        .unless(r"\b(?:request|response|user|server|client|call|function|thread|message|token|connection|session)s?\b"),
    cue(Task, User, r"\b(?P<t>(?:fill|fix|clean|write|update|add|remove|drop|replace|swap|translate|document|test|check|rename|migrate|finish|polish|tune|order|call|book|buy|pay|send|print) [^,;]{3,80}? (?:before|after|once|when) [^,;]{3,60}?),? (?:but )?not (?:now|today|yet|this week)\b"),
    cue(Task, User, r"^(?P<t>(?:the |our |my |some |all )?[\w' /-]{3,60}? (?:(?:gets?|comes?|will (?:be|get|come)|can be|should be|needs? to be|could be|is|are|'s)(?: [a-z]+)?(?: [\w ]{0,24}?)?|needs? [\w ]{3,40}?|wants? [\w ]{3,40}?) (?:later(?: on)?|in (?:phase|round|step|version|the next|a later|a follow-?up)[ \w.]*|afterwards|eventually|at some point|(?:on|in|with) the next [\w ]+|after (?:the|that|we|our) [\w ]+|next (?:week|sprint|month|quarter|release)|for (?:march|april|may|june|july|august|phase \w+|some quiet \w+)))\b")
        .unless(r"^(?:it|this|that|what|he|she|they|i|we|you|there|the (?:user|error|page|request|response|result|test|exception|meeting|call|deadline|release|launch|demo|deploy\w*|train|flight|package|party|event))\b|\b(?:if|when|why|how|happens?|called|executed|invoked|fired|triggered|sooner or later)\b|\bgets? (?:called|executed|invoked|fired|worse|better|stuck|lost)\b|\beventually i\b"),
    cue(Task, User, r"^(?:(?:and|also|ok(?:ay)?|oh|but|then|btw)[,:]? )*(?:before|after|once|when) [^,;:]{3,60}?,? (?:we|i|someone|somebody) (?:can|could|'ll|will) (?P<t>[a-z]+ .+)$")
        .unless(r"\b(?:can|could|will|'ll) (?:look|see|be|get|have|know|tell|go|talk|start|continue|proceed|decide|say|think|then)\b|^(?:\w+ )?when (?:the|a|an|it|this)\b|\bonce (?:the|a) (?:user|server|page|build)\b"),
    cue(Task, User, r"\bi(?:'ll| will) (?:have|want|need) to (?P<t>[a-z]+ .+ (?:by then|later|then|afterwards|next \w+))"),
    cue(Task, User, r"\b(?:we|i|you) (?:still )?owe (?P<t>(?:the |our |my )?[\w ]{3,60})|\b(?:put|stick|add) (?:it|this|that) (?:on|to) the (?:pile|list|backlog|board|todo(?: list)?)\b")
        .unless(r"\b(?:already|why|let's|lets)\b"),
    cue(Task, User, r"^(?:todo|fixme),? (?P<t>[a-z]+ \S.+)$").unless(r"^(?:todo|fixme),? (?:lists?|apps?|items?|is|are|was|has|have|should|apis?|pages?|components?|models?|comments?|tags?|example|mvc|tracker|project|in|from|at|to)\b|[:?]"),
    cue(Task, Anyone, r"^(?:next|up next)\s*(?::|--|—|–)\s*(?P<t>[a-z]+ \S.*)$")
        .unless(r"\b(?:none|nothing|n/a|should|step \d)\b|: (?:the|an?|we|i|you|it|he|she|they|there|this|that|your|my|our)\b"),
    cue(Task, User, r"^(?:(?:and|also|oh|btw|plus)[,:]? )*(?P<t>(?:the |our |my )?[\w' /.-]{3,60}? needs? (?:an? |some )?(?:fix(?:ing)?|updat(?:e|ing)|tuning|clean(?:ing|up)|refactor(?:ing)?|rewrit(?:e|ing)|polish(?:ing)?|replac(?:ing|ement)|documenting|translating))\b(?:[,.;! ]|$)")
        .unless(r"\b(?:now|today|first|if|before|what|which|it|this|that|immediately|asap)\b|\?"),
    cue(Task, User, r"^(?:(?:and|also|oh|btw|plus|but)[,:]? )*(?P<t>(?:the |our |my |those |old )?[\w' /.,-]{3,70}? (?:has|have|needs?) to (?:be done|go|happen))(?: (?:at some point|eventually|some day|soon|later|too|as well|sometime))*[.! ]*$")
        .unless(r"\b(?:it|this|that|he|she|they|i|we|you|nothing|something|what) (?:has|have|needs?)\b|\bhave to go\b.*\b(?:now|bye)\b|\?"),
    cue(Task, User, r"^(?:once|as soon as|when) (?:we|i|the [\w ]{2,30}?|[a-z]+) (?:have|has|get|gets|got|is back|are back|'s back|comes? back|arrives?|lands?|opens?)\b[^,?]{0,40}, (?:please |pls |we (?:can|need to|have to|should|must) |i (?:need to|have to|must|should) )?(?P<t>(?:submit|run|add|write|send|order|call|book|ask|do|redo|upload|publish|deploy|update|move|switch|remove|install|measure|test|plant|pay|print|check|clean|train|start|finish|record|ship|merge|release|migrate|replace|rebuild|rotate|set up) .{4,})$")
        .unless(r"\b(?:you|that's|it|this) (?:have|has|get|is)\b|\b(?:an error|a 404|the error|stuck|time to)\b|\?|\b(?:every|each) time\b"),
    cue(Task, User, r"^(?:note to self|self[- ]note|reminder|memo|mental note|for the list|add to (?:the|my) (?:list|todos?))[,:;–—-]+ ?(?:to )?(?P<t>\S+ \S.+)$").unless(r"\b(?:never|always|don't|i was|you are|is due|is at)\b|\?"),
    cue(Task, User, r"^(?P<t>(?:the |our |my |that |those )?[\w' /.-]{3,60}? still (?:needs?|wants?|lacks?|misses) (?:an? |the |some |to be )?[\w' -]{3,60})(?:[,;.!]|$)")
        .unless(r"\b(?:it|this|that|he|she|they|i|we|you|what|which|who) still\b|\b(?:if|why|whether|does)\b"),
    cue(Task, User, r"^(?P<t>(?:the |our |my |that |those )?[\w' /.-]{3,60}? (?:has|have) to be (?:[a-z-]+ed|done|redone|rewritten|rebuilt|sent|set up|cut|bought|built|made|taken (?:down|out)|thrown (?:out|away))(?: [\w' ]{1,30})?? (?:then|later|too|as well|again|at some point|eventually|after(?:wards)?|before|once|soon|sometime|after the [\w ]+))\b")
        .unless(r"^(?:it|this|that|everything|what|which|all|every|each)\b|\b(?:if|always|must)\b"),
    cue(Task, User, r"^(?:after|before|once|when) [^,;:]{3,60}?(?:,| ) ?(?:someone|somebody|we|i) (?:has|have|needs?|ought|got) to (?P<t>[a-z]+ .+)$"),
    cue(Task, User, r"\bi (?:have|need) to (?P<t>(?:look into|figure out|sort out|deal with|take care of|get|buy|call|write|send|fix|finish|clean up|update|renew|book) [^,;?]{4,60}? (?:by then|later|at some point|eventually|some day|one day|soon|before .+|after .+|this (?:week|weekend|month)|next \w+|by \w+day))\b"),
    cue(Task, User, r"\b(?:at some point|some day|someday|eventually|one day|sooner or later|in the long run|down the road|down the line|when there's time|when we have time|in a quiet (?:week|moment|hour))[, ]+(?:we|i|someone|somebody|you)(?:'ll| will)? (?:also |still |really |just )*(?:have to|need to|must|should|want to|ought to) (?P<t>[a-z]+ [^?]+)$"),
    cue(Task, User, r"^(?:yes |yeah |ok )?(?:but )?(?:not (?:today|now|yet)|later),? (?:but )?(?P<t>(?:add|write|fix|remove|clean up|update|rename|move|split|test|document|drop|replace|migrate|refactor) .+? (?:when|once|after|before|as soon as) .+)$"),
    cue(Task, User, r"^(?:before|after) (?:we|i|you|the) [^,;:?]{3,50}? (?:someone|somebody|we|i) (?:has|have|need|needs) to (?P<t>[a-z]+ .+)$"),
    cue(Task, User, r"\b(?:i|we) (?:still )?(?:haven't|have not|didn't) (?:yet )?(?:got(?:ten)? (?:around|round) to|had time (?:to|for)|managed to|gotten to|got to) (?P<t>[^,;?]{4,60})"),
    // Blockers.
    cue(Blocker, Anyone, r"^(?:[\w ]{1,20}[,:] )?(?P<t>.{0,80}?)(?:\b(?:is|are|am|remains?|stays?)|'re|'m|'s) (?:still |currently |completely |now |all |also |totally )*(?:blocked|stuck|held up|on hold|stalled)(?: (?:by|on|until|because of|because|waiting (?:for|on)|due to|behind))? ?(?P<b>.*)$")
        .unless(r"\bsandbox(?:ed|ing)?\b|\b(?:permission|pre-?commit|pre-?push|pretooluse|session) (?:hooks?|prompts?|rules?|system|checks?)\b|^(?:the |this |that |my |your |our )?(?:[\w./-]+ )?(?:command|write|edit|call|request|tool|fetch|install|installation|download|read|curl|operation|action|script|response|query)s? (?:is|are|remains?)\b|\bstuck (?:to|in|with|at|inside|under|here|there)\b|\bblocked (?:off|out|in)\b|\b(?:lock|locks|thread|threads|reader|writer|readers|writers|caller|callers|event loop|main loop|socket|i/o|mutex|syscall|cursor|browser|scroll|popup|button|page|port|firewall|ads?|kernel|works because|in a loop|loop)\b|\b(?:when|while|where|whenever) .*(?:blocked|stuck)|\bblocked (?:for|at) \d|\bline \d|\bblocked on a \w+ (?:at|in)\b"),
    cue(Blocker, Anyone, r"^(?:still |currently )?(?:blocked|blocker|stuck|on hold) (?:by|on|until|because of|because):? (?P<b>\S.*)$"),
    cue(Blocker, Anyone, r"^(?:still |currently )?(?:blocked|blocker|stuck|on hold):? (?P<b>\S+ \S.*)$"),
    cue(Blocker, User, r"^(?:still |currently )?waiting (?:for|on) (?P<b>(?:[\w']+ ){1,5}(?:review|approval|sign-off|credentials|access|certificate|licen[cs]e|keys?|contract|audit|legal|ops|security))\b").unless(r"\b(?:build|tests?|command|reply|response|you)\b"),
    cue(Blocker, Anyone, r"^(?:[\w ]{1,30}[,:] )?(?:(?:i|we|you|the (?:\w+ ){1,4}|[\w ]{3,30}) )?(?:can't|cannot|can not|won't be able to|'m unable to|are unable to|am unable to)(?: really| yet| actually)? (?P<t>(?:continue|proceed|start|go (?:on|ahead|live|further)|deploy|merge|release|ship|finish|begin|test|move|upgrade|migrate|publish|work on|complete|close|roll out|launch|land)\b.*?) (?:until|before|unless|without|as long as) (?P<b>.+)$")
        .unless(r"\b(?:caller|parser|compiler|thread|function|iterator|transaction|borrow)\b")
        .clear(),
    cue(Blocker, Anyone, r"^(?:[\w ]{1,20}[,:] )?(?P<t>(?:the |our |my )?[\w' -]{3,60}?) (?:can't|cannot|can not|won't|will not|can only) (?:be (?:[a-z]+ed|sent|built|done|put|set|run|cut|made|written|taken|given|shown|bought|sold)|go (?:out|live|ahead|forward|in)|start|ship|continue|happen|proceed|land|launch|begin|move(?: forward)?|close)(?: [\w' -]{1,40}?)?(?: until| before| without| unless|,? once| after| when) (?P<b>.+)$")
        .unless(r"\b(?:caller|parser|compiler|threads?|functions?|iterators?|transactions?|borrow|values?|requests?|packets?|users?|process(?:es)?|clients?|servers?|lock|button|page|component|method|object|variable|field|job|query|container|pod|service|handler|hook|i|we|you|they)\b (?:can't|cannot|can not|won't|will not|can only)"),
    cue(Blocker, User, r"^(?:[\w ]{1,20}[,:] )?(?P<t>(?:the |our |my )?[\w' -]{3,60}?) (?:depends on|hinges on|needs) (?P<b>[^,;]+?) (?:first|before (?:it|we|that|anything)\b.*)[.! ]*$")
        .unless(r"\b(?:function|class|module|thread|component|test|build|package|crate|step|query|i|we|you|it)\b"),
    cue(Blocker, User, r"^(?:[\w ]{1,20}[,:] )?(?P<t>(?:the |our |my )?[\w'/ -]{3,60}?) (?:is|are) (?:on ice|parked|pending|in limbo)(?: (?:until|till|on|by|because of|for|pending))? (?P<b>\S+ \S.*)$")
        .unless(r"\b(?:requests?|promises?|tasks? (?:is|are) pending in|messages?|jobs?|migrations? (?:is|are) pending|changes?|cars?|state|status|futures?|transactions?|tests?)\b"),
    cue(Blocker, Anyone, r"^(?:[\w ]{1,20}[,:] )?(?P<t>.{0,80}?)(?:\b(?:is|are|am)|'re|'m) (?:still |currently |just |now |all |only )*waiting (?:for|on) (?P<b>.+)$")
        .unless(r"\b(?:to finish|to complete|to start|to come up|to load|to run|to return|build|builds|tests?|command|output|server to|thread|threads|lock|locks|process|processes|agents?|subagents?|reply|response|input|compile|compilation|results?|event|background|i/o|you to|init container|containers?|pods?|to accept)\b"),
    cue(Blocker, User, r"^(?:(?:so|and|but|ok)[,:]? )*(?:(?:i|we) )?(?:can't|cannot|can ?not|cant|won't be able to|couldn't|not able to|unable to) (?P<t>[a-z]+\b[^,;]{0,60}?) (?:until|till|til|'til|unless|without|before) (?P<b>.+)$")
        .unless(r"\b(?:caller|parser|compiler|thread|function|iterator|transaction|borrow|live without|without you|have done|imagine|tell|believe|understand|see (?:it|that)|remember|think)\b|\b(?:before|until|till) (?:the )?\d"),
    cue(Blocker, User, r"^(?P<t>[^,;]{3,60}?) (?:has to|have to|must|will have to|needs to|need to|gotta) (?:wait|sit|hold) (?:for|until|till|til) (?P<b>.+)$")
        .unless(r"\b(?:thread|process|caller|client|request|test|build|loop|user|users|it|this|that|i|we|you)\b (?:has|have|must|will|needs?|gotta)|\blater\b"),
    cue(Blocker, User, r"^(?P<b>[^,;]{3,70}? (?:isn't|is not|aren't|are not|hasn't|has not|haven't|have not|isnt|hasnt|havent)(?: been)? (?:back|here|in|there|done|ready|arrived|signed|approved|granted|merged|out|up|available|confirmed|answered|replied|sent|paid|delivered|released|finished|decided)\b[^,;]{0,40}?)(?: yet)?,? so (?:(?:i|we) )?(?:can't|cannot|can ?not|cant|couldn't|have to wait|are stuck|is stuck|am stuck|no) ?(?P<t>[^,;]*)")
        .unless(r"\b(?:cache|variable|function|thread|request|page|token|build|test)\b"),
    cue(Blocker, User, r"^(?:(?:so|and|but|ok|til then|until then)[,:]? )*(?P<t>[^,;]{3,60}?) (?:is|are|'s) (?:on hold|stuck|blocked|parked|paused|frozen) (?:because|cause|cuz|since|as|til|till|until) (?P<b>.+)$")
        .unless(r"\b(?:thread|lock|reader|writer|event loop|socket|cursor|browser|page|button|scroll|game|screen|animation)\b"),
    cue(Blocker, User, r"^(?:(?:so|and|but|ok)[,:]? )*no (?P<t>[\w' -]{3,50}?) (?:until|till|til|before) (?P<b>[a-z].+)$")
        .unless(r"^(?:\w+ )?no (?:one|problem|need|further|changes?|more|merging|merges?|commits?|deploys?|pushes|prs?|releases?) |\bwithout (?:tests?|review|approval|asking|my)\b"),
    cue(Blocker, Anyone, r"^(?:[\w ]{1,20}[,:] )?(?P<t>(?:the |our |my )?[\w' ./-]{3,60}?) (?:is|are|was) (?:held (?:back|up) by|gated (?:by|on)|waiting on|contingent (?:on|upon)|stalled by|pending on) (?P<b>.+)$")
        .unless(r"\b(?:thread|lock|process|request|test|build|promise|container|pod|socket)s?\b (?:is|are)"),
    cue(Blocker, User, r"^(?P<t>(?:the |our |my )?[\w' ./-]{3,60}?) (?:hangs|hinges|depends|rides|waits) on (?P<b>[^,;]+?),? (?:which|that|who|and (?:that|he|she|they|it)|but (?:that|he|she|they|it)) (?:still )?(?:hasn't|hasnt|haven't|isn't|isnt|aren't|is not|has not|won't|are not|is still|are still)\b"),
    cue(Blocker, User, r"^(?P<t>(?:the |our |my )?[\w' ./-]{3,50}?) (?:can't|cannot|cant|can ?not) (?:happen|start|go (?:out|ahead|live|on)|be [a-z]+)(?: yet)?[,;–—-]+ ?(?:i|we)(?:'re| are)? (?:need|still need|waiting for|miss|lack|missing) (?P<b>.+)$"),
    cue(Blocker, User, r"^(?P<t>(?:the |our |my )?[\w' ./-]{3,50}?) (?:is|are) (?:parked|paused|on hold|stuck|blocked|pending|in limbo)[,;–—-]+ ?(?P<b>[^,;]{4,80}? (?:has to|have to|must|needs to|need to|isn't|hasn't|aren't|haven't|is not) .*)$")
        .unless(r"\b(?:thread|lock|process|request|test run|build|promise|container|pod|socket)s?\b (?:is|are)"),
    cue(Blocker, User, r"^(?:(?:and|but|so|ok)[,:]? )*(?P<t>(?:the |our |my )?[\w' -]{3,50}?) (?:is|are) (?:down|out of \w+|unavailable|offline|closed|broken|dead|frozen) (?:until|till|til) (?P<b>.+)$")
        .unless(r"\b(?:page|button|app|screen|light|it|this|that)\b (?:is|are)"),
    cue(Blocker, User, r"^(?:(?:and|but|so|ok|nope|no)[,:]? )*(?:i'm |we're |im )?still waiting (?:for|on) (?P<b>[^,;?]{4,})")
        .unless(r"\b(?:the (?:build|test|tests|output|response|answer|reply)|you|your|it|this|that)\b"),
    cue(Blocker, User, r"^(?P<t>(?:the |our |my )?[\w' -]{3,50}?) (?:can't|cannot|can not|won't) (?:happen|start|go (?:out|live|ahead|anywhere)|be [a-z]+ed|continue|proceed|ship|move|begin) yet[,;–—-]+ ?(?:still )?(?:i |we |it )?(?:need|needs|missing|waiting (?:for|on)|lack|lacks) (?P<b>[^,;]+)")
        .unless(r"\b(?:it|this|that|request|user|test|function) (?:can't|cannot|won't)"),
    cue(Blocker, User, r"^(?P<t>(?:the |our |my )?[\w' -]{3,50}?) (?:hangs? on|is held up by|are held up by|is held hostage by|hinges? on|is at the mercy of|is gated (?:by|on)|is stalled by|sits? (?:on|with)) (?P<b>[^,;]+), (?:which|who|they|he|she|it)(?:'s| is| are| has| have|'ve)?(?: still)?(?:n't| not| want| need| haven't| hasn't)")
        .unless(r"\b(?:thread|lock|process|request|page|app)\b"),
    cue(Blocker, User, r"^(?P<t>(?:the |our |my )?[\w' -]{3,50}?) (?:isn't|aren't|is not|are not|hasn't|haven't) (?P<b>(?:back|here|in|there|ready|arrived|come|delivered|approved|signed|out)(?: from [\w ]{2,20})?(?: yet)?)[, ]+so (?:i|we) (?:can't|cannot|couldn't|won't) [a-z]+")
        .unless(r"\b(?:it|this|that|user|he|she|they|request|page|server|function|value|file|module) (?:is|are|has|have|isn't|aren't|hasn't|haven't)\b"),
    cue(Blocker, User, r"^(?P<t>(?:the |our |my )?[\w' -]{3,50}?) (?:depends?|depend) on (?P<b>[^,;]+), (?:which|who) (?:still )?(?:hasn't|haven't|isn't|aren't|has not|is not)\b"),
    cue(Blocker, User, r"^(?P<b>[\w' -]{3,40}? (?:review|approval|sign-?off|audit|check|vetting|permission|access|inspection|verification)) (?:is|are) (?:still )?(?:pending|outstanding|missing|not (?:here|done|through))[,;–—-]+ ?so (?:the |our |my )?(?P<t>[\w.' -]{2,40}?) (?:is|are|has to|have to|can't|cannot|waits?|sits?)\b"),
    // Resolutions.
    cue(Resolution, Anyone, r"\bunblock(?:ed|s)\b|\b(?:no longer|not) (?:a blocker|blocked|stuck|on hold|blocking)(?: any ?more)?\b").unless(r"\b(?:to|should|will|would) (?:be|get) unblocked\b|\b(?:i'm|we're|i am|we are) not (?:blocked|stuck)").clear(),
    cue(Resolution, Anyone, r"^(?:[\w ]{1,30}[,:] )?(?P<t>(?:the |our |that |this |my )?.{0,60}?\b(?:problem|issue|bug|error|trouble|glitch|flicker|hiccup|hang|crash|freeze|mess|blocker|outage|check|review|audit|incident|approval|ticket|failure|conflict|leak|regression|(?:pr|mr|pull request|issue|ticket) ?#?\d+|[a-z]{2,10}-\d+))\b.{0,30}? (?:is|are|has been|have been|was|got|been) (?:now |finally |all |already |officially )*(?P<v>fixed|resolved|solved|done|closed|finished|merged|sorted(?: out)?|granted|approved|complete|completed|over|gone)\b")
        .unless(r"\b(?:until|before|once|when|after|as soon as|must|should|needs?|can|how) \b|\b(?:was|were) (?:fixed|resolved|solved) (?:in|by) "),
    cue(Resolution, User, r"\b(?:finally|now|just) (?:got|received|have|obtained) (?P<t>(?:the|our|all) .*(?:credentials|keys?|access|approval|certificates?|logs|permissions?|tokens?|licen[cs]e|accounts?|go-ahead|data))\b|\b(?P<u>credentials|keys?|access|approval|certificates?|logs|permissions?|tokens?|licen[cs]e|hardware) (?:have |has )?(?:finally )?(?:arrived|came in|come in|came through|been granted)\b"),
    cue(Resolution, User, r"(?:^|[,;:] ?)(?:(?:so |and |now )+(?:we|you) can (?:now |finally )*|(?:we|you) can (?:now |finally )+)(?:proceed|continue|resume|go ahead|go on)\b").unless(r"\b(?:once|when|if|before|until|after) (?:you|we|i|the|it)\b|\bnow that\b"),
    cue(Resolution, Anyone, r"(?:finished|done|over|complete|closed|approved|merged|granted|passed)[,;] (?:so )?(?:the [\w ]+|we|you) can (?:now )?(?:proceed|continue|go ahead|resume|start)\b"),
    cue(Resolution, User, r"^(?:fyi,? |ok(?:ay)?,? |and |so )?(?P<t>(?:the |our )?[\w ]{0,40}?\b(?:review|audit|inspection|certification)) (?:has |have )?(?:now |finally |just )*(?:passed|went through|came through)(?:[.! ]*$|[,;])")
        .unless(r"\b(?:once|when|after|if|until|before|as soon as|since|because|while|whether|almost|nearly|not|never)\b"),
    cue(Resolution, Anyone, r"^(?P<t>(?:pr |mr |pull request |issue |ticket )?#\d+) (?:is|was|got|has been) (?:now |finally |already )*(?P<v>merged|closed|fixed|done|approved|resolved)(?:[.! ]*$|[,;])"),
    cue(Resolution, User, r"^(?:fyi,? |ok(?:ay)?,? )?(?:legal|ops|security|management|the [\w ]{2,20} team|[a-z]+) (?:has |have |finally |just )*(?:approved|signed off on) (?P<t>(?:the|our) [\w -]{2,60}?)(?:[.! ]*$|[,;])").unless(r"^(?:i|we|you|they|he|she|it|who|nobody|not)\b"),
    cue(Resolution, User, r"^(?:finally |just |ok(?:ay)?,? )*got (?P<t>(?:the|our) [^,;]{0,40}?\b(?:credentials|keys?|access|approval|certificates?|permissions?|tokens?|licen[cs]e|go-ahead))\b(?: (?:from|by) [\w ]{2,20})?(?:[.! ]*$|[,;])"),
    cue(Resolution, User, r"^(?:(?:ok(?:ay)?|great|good news|fyi|finally|yes|yay|nice|update)[,:!]? )*(?P<t>(?:the |our )?(?:[\w'/-]+ ){0,4}(?:access|credentials|keys?|certificates?|cert|approval|sign-?off|permissions?|tokens?|licen[cs]es?|accounts?|hardware|parts?|quota|contract|budget|review|audit|signature|visa|permit|invoice|payment|dataset|data|dump)) (?:is|are|has been|have been|was|were|got|just) (?:now |finally |just |also )*(?:here|in|there|granted|approved|signed|through|paid|arrived|came (?:in|through)|come through|available|raised|increased|renewed|issued|in place)(?: (?:today|yesterday|earlier|just now|last (?:night|week)|this (?:morning|afternoon|evening|week)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|an? (?:hour|minute) ago))*(?:[.! ]*$|[,;:] | so | - )")
        .unless(r"\b(?:if|when|once|until|after|before|not|never|should|must|whether)\b"),
    cue(Resolution, User, r"^(?:(?:ok(?:ay)?|great|good news|fyi|finally|yes|yay|nice|update)[,:!]? )*(?P<t>[\w@' -]{2,40}?) (?:has |have |just |finally )*(?:signed(?: off)?|approved|said yes|gave (?:us )?(?:the )?(?:green light|go-ahead|ok|okay|thumbs up)|came through|delivered|replied|got back to us)(?: [^,;:]{0,40})?[,;:.–—-]+ ?(?:so |and )?(?:we|you|i)(?:'re| are| can| may)? (?:good to go|unblocked|go(?: ahead)?|continue|proceed|ship|deploy|start|merge|free to|clear)\b"),
    cue(Resolution, User, r"\b(?:we're|you're|we are|you are) (?:finally |now |all )*(?:clear to (?:go|proceed|ship|deploy|merge)|unblocked|cleared)\b|\b(?:green light|go-ahead) (?:from|for|is here|came|received)\b|\bgot the (?:green light|go-ahead|all-clear)\b")
        .unless(r"\b(?:if|when|once|until|after|before|then|whether|think)\b"),
    cue(Resolution, User, r"^(?:(?:ok(?:ay)?|great|good news|fyi|finally|yes|yay|woo+|nice|update)[,:!]? )*(?P<t>(?:the |our |my )?[\w' -]{3,40}?) (?:arrived|came (?:in|back|through)|is back(?: up)?|are back(?: up)?|is up|are up|got approved|got merged|got signed|got fixed|got granted|is restored|restored|went thr(?:u|ough)|is unblocked|cleared)(?: (?:today|yesterday|this (?:morning|afternoon|week)|just now|on \w+|last night))?(?:[.!]*$|,)")
        .unless(r"\b(?:if|when|once|until|after|before|not|never|should|must|whether|which|why|exception|error|warning|question|same|issue|problem|again)\b"),
    cue(Resolution, User, r"^(?:(?:ok(?:ay)?|great|good news|fyi|finally|yes|yay|nice|update)[,:!]? )*(?P<t>(?:the |our |my )?[\w' -]{3,40}?) (?:works|work|is working|are working|runs)(?: now| again| finally| fine)*,? (?:it was|turned out|the (?:cause|culprit|problem|reason) was|was) ")
        .unless(r"\b(?:if|when|once|until|not|never|should|whether|why|how)\b"),
    cue(Resolution, User, r"^(?:(?:ok(?:ay)?|great|good news|fyi|finally|yes|yay|nice|update)[,:!]? )*(?P<t>(?:the |our |my )?[\w'. -]{2,40}?) (?:passed (?:the )?(?:review|audit|qa|inspection|certification|checks?)|is out (?:and|now)|signed|renewed|got renewed|got signed|is renewed|is signed|gave (?:us )?(?:the )?(?:green light|go-ahead|ok))(?: (?:today|yesterday|this (?:morning|afternoon|week)|just now|on \w+|last night|evening|afternoon))*(?:[.!]*$|,)")
        .unless(r"\b(?:if|when|once|until|after|before|not|never|should|must|whether|which|unless|needs?|nobody|hasn't|haven't)\b"),
    cue(Resolution, User, r"^(?P<t>(?:the |our |my |that |this )?[\w'#. -]{3,60}?) (?:no longer|doesn't|does not|don't|stopped|hasn't|has not) (?:freez\w+|crash\w+|hang\w*|fail\w*|leak\w*|happen\w*|timing out|time out|times out|drop\w*|flak\w+|block\w*|break\w*|stall\w*)(?: [\w ]{0,30}?)?(?: any ?more| now| since)?,? (?:\w+'s )?[\w. ]{2,40} (?:did it|fixed it|was it|helped|solved it|did the trick|was the (?:culprit|cause))\b"),
    cue(Resolution, Anyone, r"^(?P<t>(?:the |our |that |this )?[\w'# -]{3,60}?) (?:is|are) (?:now |finally )?(?:history|a thing of the past|behind us|off our (?:list|backs?|plate))[,;:.]? ?(?:it was|they were|the|$)"),
    cue(Resolution, User, r"\bno longer (?:has|have|need|needs) to wait\b|\b(?:is|are|that's|thats|it's) off (?:the|my|our) (?:worry list|list of worries|plate|todo list)\b|^(?:no,? )?(?P<t>the [\w -]{3,40}?) (?:has been|is|are|have been) back(?: up| online)? since\b").unless(r"\b(?:if|when|once|until)\b"),
    cue(Resolution, User, r"^(?P<t>[\w@' -]{2,40}?) (?:has |have |just |finally |also )*(?:approved|signed(?: off(?: on)?)?|merged|accepted|granted|confirmed|paid|unlocked|cleared|sent|delivered|released|gave) (?:us|it|the [\w ]{2,30}|our [\w ]{2,30}|me)\b[^?;]{0,20}?(?:,| -|;)? ?(?:and |so )?[^,;?]{0,40}?\b(?:good to go|unblocked|no longer (?:blocked|waiting|stuck)|(?:is|are|can) (?:now |finally )?(?:go|start|proceed|continue|run|ship|ready)|nothing(?:'s| is) (?:stopping|blocking|holding))\b")
        .unless(r"\b(?:if|when|once|until|before|after|nobody|no one|hasn't|haven't|not yet|as soon as)\b"),
    cue(Resolution, User, r"\b(?:landed in my inbox|got the (?:ok|okay|go|thumbs up|nod)|gave (?:us|it|me) (?:the )?(?:ok|okay|go|nod|thumbs up|green light|go-ahead)|came back (?:clean|positive|green)|nothing(?:'s| is) (?:stopping|blocking|holding) (?:us|me|it)|(?:is|are) (?:finally|now) (?:good to go|free to (?:go|start)|unblocked))\b")
        .unless(r"\b(?:if|when|once|until|before|after|nobody|hasn't|haven't|not)\b"),
    cue(Resolution, User, r"^(?:no,? )?(?P<t>(?:the |our )?[\w -]{3,40}?) (?:is|are) (?:on|at) (?:[\w.-]+ )?\d[\w.]*(?: \w+)? now,? so\b"),
    cue(Resolution, User, r"^(?:(?:ok(?:ay)?|great|good news|fyi|yes|yay|nice|update)[,:!]? )*(?:we|i)(?:'ve| have)? (?:(?:finally |just |now )*(?:got|received|obtained)|(?:finally |now )+have) (?P<t>(?:the|our) [\w' -]{0,40}?\b(?:credentials|keys?|access|approval|certificates?|cert|permissions?|tokens?|licen[cs]e|go-ahead|contract|signature|quota|hardware|parts|budget|sign-?off))(?: now| today| yesterday| this (?:morning|afternoon|week)| (?:from|by) [\w ]{2,20})*(?:[.! ]*$|[,;])"),
    cue(Resolution, User, r"^(?:(?:ok(?:ay)?|great|good news|fyi|yes|yay|nice|update)[,:!]? )*we have (?P<t>(?:the|our) [\w' -]{0,40}?\b(?:credentials|keys?|access|approval|certificates?|cert|permissions?|tokens?|licen[cs]e|go-ahead|contract|signature|quota|budget|sign-?off)) now[.! ]*$"),
    // Done work.
    cue(Done, Anyone, r"^(?:all )?(?:done|finished|completed|shipped|merged)\s*(?::|--|—|–| - )\s*(?P<t>\S.{2,})$")
        .unless(r"^[^:—–-]{4,12}(?::|--|—|–| - )\s*(?:i|we|you)(?:'ve|'m|'re)? "),
    cue(Done, Anyone, concat!(r"^", before_report!(), r"(?P<t>(?:the |our |my |all )?[^,;:]{3,80}?) (?:is|are|has been|have been|was|were) (?:now |all |finally |already |both |also |just )*(?:done|finished|completed?|merged|shipped|landed|implemented|in place|live|over|ready)", when_done!())),
    cue(Done, Anyone, concat!(r"^", before_report!(), r"(?P<t>(?:the |our |my |all )?[^,;:]{3,80}?) (?:is|are|has been|have been|was|were|got) (?:now |all |finally |already |both |also |just )*(?P<v>(?:[a-z]{2,}ed|bought|built|cut|drawn|made|paid|put|rebuilt|rewritten|run|sent|set|shut|sold|split|taken|thrown|torn|written)(?: (?:away|back|down|in|off|out|over|up))?)", when_done!())),
    cue(Done, Anyone, concat!(r"^", before_report!(), has_done!(), r"\b(?P<v>(?:[a-z]{2,}ed|bought|built|cut|made|paid|put|ran|rebuilt|rewrote|rewritten|sent|set|shut|sold|split|threw|thrown|took|tore|torn|wrote|written)|done with) (?P<t>[^,;:]{3,100}?)", when_done!())),
    cue(Done, Anyone, concat!(r"^", before_report!(), has_done!(), r"(?:finished|completed|done(?: with)?) (?P<v>[a-z]{2,}ing) (?P<t>[^,;:]{3,100}?)", when_done!())).clear(),
    // Work that is given up.
    cue(GivenUp, User, r"\b(?:you can |we can |just |let's |please )*(?:forget(?: about)?|never ?mind(?: about)?|don't bother with|no need (?:for|to)|we can skip|we don't need|i don't need) (?P<t>(?:the |that |our |my |those )?[\w' -]{3,60}?)(?: (?:task|todo|item|idea|thing|part|reminder|step))?(?: (?:any ?more|after all|for good|now|then|completely|today))*(?:[,;(–—-]|[.! ]*$| (?:because|since|as|so|i|we|it)\b)")
        .unless(r"\b(?:don't|do not|dont) need to\b|\b(?:don't|do not|dont|never|didn't|won't|always|i|i'll) (?:forget|need to forget)\b|\bforget to\b|\bforget (?:it|that|this|what)\b|\b(?:for now|yet)\b"),
    cue(GivenUp, User, r"\b(?:we|i|you)(?: really)? (?:don't|do not|dont|no longer) (?:need|have|want) to (?P<t>[a-z]+ [\w' -]{3,60}?)(?: (?:any ?more|after all|now))*(?:[,;(–—-]|[.! ]*$| (?:because|since|as|so)\b)")
        .unless(r"\b(?:if|when|whether|unless|once|worry|wait|yet|for now)\b|\bto (?:be|know|see|do (?:it|that|this|anything)|change anything|use|have)\b"),
    cue(GivenUp, User, r"^(?:(?:ok(?:ay)?|and|so|also|oh|btw|actually)[,:]? )*(?P<t>(?:the |that |our |my )?[\w' -]{3,60}?) (?:is|are) (?:no longer|not|n't) (?:needed|necessary|relevant|required|on the (?:list|table))(?: any ?more| after all| now)*(?:[,;(]|[.! ]*$| (?:because|since|as|so)\b)")
        .unless(r"\b(?:if|when|whether|unless|once)\b|^(?:it|this|that)\b"),
    cue(GivenUp, User, r"\b(?:scratch|strike|cross|take|drop|remove|delete) (?P<t>(?:the |that |our |my )?[\w' -]{3,60}?) (?:off|from) (?:the|my|our) (?:todo |task )?(?:list|backlog|plan|board)\b"),
    cue(GivenUp, User, r"\b(?:drop|cancel|delete|close|remove) the (?P<t>[\w' -]{3,60}?) (?:task|todo|reminder)\b"),
];

/// What the words of a task refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// A piece of work.
    Work,
    /// Nothing in particular: "go on with it", "find", "move forward".
    Nothing,
    /// Who does it: "go through everything myself".
    Talk,
    /// That there is none: "no one", "none of the tasks".
    None,
}

/// Words that ask, in scripts whose words have endings or no spaces between them.
const ASKING_ELSEWHERE: [&str; 24] = [
    "어떤",
    "어느",
    "무엇",
    "무슨",
    "뭐",
    "뭘",
    "뭔",
    "누가",
    "누구",
    "언제쯤",
    "어디",
    "どの",
    "どれ",
    "どんな",
    "何が",
    "何を",
    "誰",
    "なぜ",
    "どうして",
    "什么",
    "啥",
    "谁",
    "哪",
    "为什么",
];

/// Whether the words that are blocked are half a sentence: "this business won't", "the next step is
/// just to".
pub(super) fn is_half(words: &str) -> bool {
    const OPENING: [&str; 11] = [
        "because", "if", "now", "that", "there", "then", "when", "where", "which", "while", "who",
    ];
    const ENDING: [&str; 46] = [
        "a", "an", "and", "are", "as", "be", "because", "been", "but", "can", "could", "did", "do",
        "does", "for", "from", "had", "has", "have", "if", "is", "just", "may", "might", "must",
        "my", "not", "of", "only", "or", "our", "should", "so", "than", "that", "the", "their",
        "to", "was", "were", "which", "who", "will", "with", "would", "your",
    ];
    let words = words.to_lowercase().replace('’', "'");
    let mut words = words.split_whitespace();
    let first = words.next().unwrap_or_default();
    let last = words.next_back().unwrap_or(first);
    OPENING.contains(&first) || ENDING.contains(&last) || last.ends_with("n't")
}

/// What the words of a task refer to; in other scripts always work, unless they ask.
pub(super) fn naming(words: &str) -> Naming {
    const PEOPLE: [&str; 15] = [
        "i",
        "i'm",
        "i'll",
        "i've",
        "me",
        "my",
        "myself",
        "you",
        "yourself",
        "we",
        "us",
        "ourselves",
        "it's",
        "that's",
        "there's",
    ];
    const EMPTY: [&str; 52] = [
        "a",
        "about",
        "again",
        "ahead",
        "all",
        "an",
        "and",
        "any",
        "begin",
        "but",
        "check",
        "continue",
        "do",
        "everything",
        "face",
        "figure",
        "find",
        "finish",
        "first",
        "fix",
        "forward",
        "further",
        "get",
        "go",
        "handle",
        "here",
        "in",
        "inch",
        "it",
        "look",
        "move",
        "now",
        "of",
        "on",
        "one",
        "out",
        "proceed",
        "see",
        "some",
        "something",
        "sort",
        "start",
        "stuff",
        "that",
        "the",
        "them",
        "these",
        "this",
        "those",
        "to",
        "with",
        "work",
    ];
    const NONE: [&str; 6] = ["neither", "no", "no-one", "nobody", "none", "nothing"];
    const ASKING: [&str; 13] = [
        "how", "what", "what's", "whats", "when", "where", "which", "who", "who's", "whom",
        "whose", "why", "whether",
    ];
    const OPENING: [&str; 9] = [
        "and",
        "at",
        "but",
        "currently",
        "far",
        "now",
        "right",
        "so",
        "still",
    ];
    const JOINING: [&str; 9] = [
        "after", "because", "before", "if", "once", "since", "so", "when", "while",
    ];
    let plain = words.to_lowercase().replace('’', "'").replace('*', "");
    let words: Vec<&str> = plain
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '.' | '!'))
        .filter(|word| !word.is_empty())
        .collect();
    // "Right now nothing", "So far no one".
    let mut named = words
        .iter()
        .skip_while(|word| OPENING.contains(word))
        .copied();
    let (first, second) = (named.next().unwrap_or(""), named.next());
    // "which tasks", but "what to do about retries" is work.
    if NONE.contains(&first) || (ASKING.contains(&first) && second != Some("to")) {
        return Naming::None;
    }
    if ASKING_ELSEWHERE.iter().any(|word| first.starts_with(word)) {
        return Naming::None;
    }
    // "Turn on strict mode when we cut 2.0" is work.
    let mut clause = words.iter().take_while(|word| !JOINING.contains(word));
    let is_about_people = clause.any(|word| PEOPLE.contains(word));
    // "Rewrite it" says nothing, "call the carrier about that" does.
    let is_unnamed = words
        .last()
        .is_some_and(|last| matches!(*last, "this" | "that" | "it"));
    let telling = words.iter().filter(|word| !EMPTY.contains(word)).count();
    if telling < 1 + usize::from(is_unnamed) || (is_unnamed && is_about_people) {
        return Naming::Nothing;
    }
    match words.len() > 1 && is_about_people {
        true => Naming::Talk,
        false => Naming::Work,
    }
}
