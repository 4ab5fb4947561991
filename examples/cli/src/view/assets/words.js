// What the pages say, in English and Korean.

const WORDS = {
  en: {
    skip: "Skip to the content", menu: "Pages", language: "Language", project: "Project", allProjects: "All projects", noProject: "(no project)",
    live: "Live", offline: "Not connected", tagline: "The memory of your agents",
    dashboard: "Overview", sessions: "Conversations", session: "Conversation", search: "Search", entries: "Learned", tasks: "Tasks",
    endless: "Endless mode", health: "Health", settings: "Settings", remove: "Forget or erase", event: "Memory", entry: "Learned entry", task: "Task",
    memories: "memories", conversations: "conversations", projects: "projects", onDisk: "on this disk", thisWeek: "{n} this week", ofQuota: "of {size}",
    lastDays: "The last 14 days", perDay: "{date}: {n} memories", latest: "Latest conversations", liveFeed: "As it happens", liveEmpty: "What any agent stores now appears here.",
    openTasks: "open tasks", allWell: "All layers are well", lookAt: "{n} things to look at",
    nothing: "Nothing is here yet.", nothingFound: "Nothing was found.", nothingHint: "Fewer words or another project may help.",
    filter: "Filter", find: "Find", question: "What do you want to know?", kind: "Kind", since: "Since", any: "Any", newer: "Newer", older: "Older", pageOf: "{from}–{to} of {total}", showMore: "Show more", showAll: "Show all {n} characters",
    user_prompt: "Prompt", agent_response: "Response", tool_observation: "Tool call", session_summary: "Insight",
    active: "active", ended: "ended", turns: "{n} memories", tokens: "about {n} tokens", newTurns: "{n} new – show",
    learnedHits: "What was learned", saidHits: "What was said and done", unlikely: "{n} less likely", answers: "{p} likely to answer", because: "Words found: {words}", becauseNear: "Found by related words or by what stands around it", matches: "{n} matches in {ms} ms", certain_high: "a sure answer", certain_suggested: "a possible answer", certain_none: "nothing certain; the nearest", degraded: "A part of the index could not be read: see Health.", recalled: "recalled text that came back",
    proofs: "Proved by", from: "from", covers: "covers {p} of the question", replacedBy: "replaced by a newer entry", contested: "contested", superseded: "superseded", deprecated: "taken back", in_force: "in force", activeEntry: "in force",
    previous: "Before", next: "After", around: "What stands around it", usage: "Use", givenTimes: "Given to agents {n} times", givenOnce: "Given to agents once", neverGiven: "Not given to an agent yet", lastUsed: "Last given", givenIn: "In conversations", level: "Level", found: "Found {n} times",
    provesTitle: "What it proves", provesNothing: "No learned entry quotes it.", details: "Details", position: "Position in the log", actor: "Said by", origin: "Origin", files: "Files", tokenCount: "Tokens", metadata: "Metadata", input: "Input", output: "Output", failure: "Error", succeeded: "succeeded", failed: "failed", citation: "Citation", copy: "Copy", copied: "Copied", id: "Id",
    type: "Type", status: "Status", stage: "Proof", evidence: "Evidence", noEvidence: "No quote proves it.", missing: "{n} quotes were not found word for word.", quoteGone: "The quoted memory is forgotten.", related: "Related entries", insights: "Insights from use", validFrom: "Holds from", validTo: "Until", learnedAt: "Learned", confidence: "Confidence", certifiedBy: "Certified by",
    fact: "Fact", decision: "Decision", insight: "Insight", task_note: "Task note", reference: "Reference", preference: "Preference", pattern: "Pattern", constraint: "Constraint", memory: "Consolidated memory",
    raw: "raw", working: "working", candidate: "candidate", verified: "verified", certified: "certified",
    pending: "Pending", in_progress: "In progress", blocked: "Blocked", done: "Done", cancelled: "Cancelled", low: "low", medium: "medium", high: "high", critical: "critical", priority: "Priority", waitsFor: "Waits for", mayWaitFor: "May wait for", history: "History", graph: "What stands in the way", graphHint: "An arrow leads from what must happen first to what waits for it. Dashed: only suspected.", graphMore: "{drawn} of {blocked} blocked tasks are drawn.", condition: "Condition", artifact: "Artifact", unknown: "Unknown", open: "Open", closed: "Finished", changedAt: "Changed", description: "Description",
    task_created: "was created", task_status_changed: "moved to another status", task_priority_changed: "got another priority", task_blockers_set: "got other blockers", task_transition_rejected: "a move was refused", task_title_changed: "got another title",
    modeEndless: "The endless mode is on: memory goes on across conversations.", modeSession: "The endless mode is off: each conversation stands for itself.", workingSet: "Working set", expires: "leaves", consolidated: "Consolidated memories", continuity: "Continuity", continuityNow: "Continuity now", topics: "Topics", fromN: "of {n} memories", seamless: "seamless", topic_shift: "topic shift", break: "break", turnOn: "Turn it on", turnOff: "Turn it off",
    layer: "Layer", size: "Size", waiting: "Waiting", moved: "Last moved", never: "never", checkNow: "Check the whole store", checking: "Checking…", checkHint: "Compares every table and index with the log. It may take a while.", sound: "Sound: {n} records, every layer as the log says.", damaged: "Damaged in {place}: {problem}", remedy: "What helps", ignored: "{n} records are passed over.", lexical: "Search index", segments: "{n} segments", memtable: "{n} in memory", embeddings: "Vectors", noEmbedder: "No embedder: words and related words are searched.", privacy: "Privacy filter", secretsMasked: "secrets masked", privateSections: "private sections left out", given: "Given to agents", reusedOf: "{n} of {m} taken up", levels: "Levels",
    damaged_index: "A part of the search index is damaged", open_erasures: "An erasure waits for another program", over_quota: "The store is over its quota", failed_embeddings: "Texts could not be embedded",
    layer_tasks: "Tasks", layer_conditions: "Conditions", layer_artifacts: "Artifacts", layer_entries: "Entries", layer_edges: "Relations", layer_build_runs: "Learning runs", layer_decisions: "Decisions recorded", layer_conflicts: "Conflicts", layer_promotions: "Promotions", layer_pipeline_metrics: "Pipeline figures", layer_memory_resolutions: "Resolutions", layer_accesses: "Uses", layer_levels: "Levels", layer_insights: "Insights", layer_working_set: "Working set", layer_consolidated: "Consolidated memories", layer_continuity: "Continuity", layer_outbox: "Outbox",
    store: "Store", source: "Named by", quota: "Warns above", mode: "Mode", modeWord_session: "session", modeWord_endless: "endless", version: "Version", default: "the user's own", limits: "Limits of the endless mode", onlyProject: "Shown first",
    removeIntro: "Forgetting hides memories at once. Erasing also takes every byte of them out of the store's files. Neither can be undone.", what: "What", byCitation: "These memories", byCitationHint: "Citations, for example mem:a7Bc3x, with spaces between", bySession: "One conversation", bySessionHint: "Its name", byTime: "Everything before a day", byProject: "A whole project", everything: "Everything", how: "How", forget: "Forget", erase: "Erase", forgetHint: "nothing shows them any more", eraseHint: "no byte of them stays in the store", count: "Count first", wouldForget: "This would forget {n} memories.", wouldErase: "This would erase {n} memories.", noneMeant: "No memory is meant.", alsoErase: "Forgotten ones among them are erased too.", sure: "I understand that this cannot be undone", doForget: "Forget {n} memories", doErase: "Erase {n} memories", cancel: "Cancel", receipt: "Receipt", removedForget: "{n} memories are forgotten", removedErase: "{n} memories are erased", ofSessions: "Conversations", textBytes: "Text", dependents: "Records that rested on them", reduced: "Records of which a part was erased", places: "Cleared", openPlaces: "Still open", complete: "No byte of their text is left in the store; copies elsewhere are yours.", incomplete: "Close other programs that use the store, then run “recallite maintain”.", tombstone: "Recorded at", segmentsWaiting: "Their words leave the search index with “recallite maintain”.", choose: "Choose",
    failedTitle: "That did not work", tryAgain: "Try again", gone: "The viewer does not answer. Is “recallite view” still running?", notFound: "It is not here", notFoundText: "It was forgotten or erased, or the address is wrong.", unauthorized: "The viewer was started anew. Open the address that it printed.",
  },
  ko: {
    skip: "본문으로 건너뛰기", menu: "페이지", language: "언어", project: "프로젝트", allProjects: "모든 프로젝트", noProject: "(프로젝트 없음)",
    live: "실시간", offline: "연결 끊김", tagline: "에이전트의 기억",
    dashboard: "개요", sessions: "대화", session: "대화", search: "검색", entries: "배운 것", tasks: "할 일",
    endless: "무한 모드", health: "상태", settings: "설정", remove: "잊기·지우기", event: "기억", entry: "배운 항목", task: "할 일",
    memories: "기억", conversations: "대화", projects: "프로젝트", onDisk: "디스크 사용량", thisWeek: "이번 주 {n}개", ofQuota: "한도 {size}",
    lastDays: "최근 14일", perDay: "{date}: 기억 {n}개", latest: "최근 대화", liveFeed: "지금 일어나는 일", liveEmpty: "에이전트가 저장하는 내용이 바로 여기에 나타납니다.",
    openTasks: "열린 할 일", allWell: "모든 계층이 정상입니다", lookAt: "확인할 것 {n}개",
    nothing: "아직 아무것도 없습니다.", nothingFound: "찾은 것이 없습니다.", nothingHint: "낱말을 줄이거나 다른 프로젝트에서 찾아보세요.",
    filter: "걸러 보기", find: "찾기", question: "무엇이 궁금한가요?", kind: "종류", since: "이후", any: "모두", newer: "더 최근", older: "더 이전", pageOf: "{total}개 중 {from}–{to}", showMore: "더 보기", showAll: "{n}자 모두 보기",
    user_prompt: "질문", agent_response: "답변", tool_observation: "도구 호출", session_summary: "통찰",
    active: "진행 중", ended: "끝남", turns: "기억 {n}개", tokens: "약 {n} 토큰", newTurns: "새 기억 {n}개 보기",
    learnedHits: "배운 것", saidHits: "말하고 한 것", unlikely: "가능성이 낮은 {n}개", answers: "답일 가능성 {p}", because: "찾은 낱말: {words}", becauseNear: "관련된 낱말이나 앞뒤 내용으로 찾음", matches: "{ms}밀리초에 {n}개 일치", certain_high: "확실한 답", certain_suggested: "가능한 답", certain_none: "확실한 것은 없고 가장 가까운 것", degraded: "색인 일부를 읽지 못했습니다. 상태 페이지를 보세요.", recalled: "회상된 글이 되돌아온 것",
    proofs: "근거", from: "출처", covers: "질문의 {p}에 답함", replacedBy: "더 새로운 항목으로 바뀜", contested: "이견 있음", superseded: "대체됨", deprecated: "철회됨", in_force: "유효", activeEntry: "유효",
    previous: "이전", next: "다음", around: "앞뒤 내용", usage: "쓰임", givenTimes: "에이전트에게 {n}번 주어짐", givenOnce: "에이전트에게 한 번 주어짐", neverGiven: "아직 에이전트에게 주어지지 않음", lastUsed: "마지막으로 주어진 때", givenIn: "주어진 대화", level: "단계", found: "{n}번 발견됨",
    provesTitle: "뒷받침하는 것", provesNothing: "이 기억을 인용한 항목이 없습니다.", details: "자세히", position: "로그 위치", actor: "말한 이", origin: "유래", files: "파일", tokenCount: "토큰", metadata: "메타데이터", input: "입력", output: "출력", failure: "오류", succeeded: "성공", failed: "실패", citation: "인용", copy: "복사", copied: "복사됨", id: "아이디",
    type: "유형", status: "상태", stage: "검증", evidence: "증거", noEvidence: "뒷받침하는 인용이 없습니다.", missing: "인용 {n}개를 원문에서 찾지 못했습니다.", quoteGone: "인용된 기억은 잊혔습니다.", related: "관련 항목", insights: "쓰임에서 얻은 통찰", validFrom: "유효 시작", validTo: "유효 끝", learnedAt: "배운 때", confidence: "확신", certifiedBy: "보증한 이",
    fact: "사실", decision: "결정", insight: "통찰", task_note: "할 일 메모", reference: "참고", preference: "선호", pattern: "반복", constraint: "제약", memory: "통합된 기억",
    raw: "원본", working: "작업 중", candidate: "후보", verified: "검증됨", certified: "보증됨",
    pending: "대기", in_progress: "진행 중", blocked: "막힘", done: "완료", cancelled: "취소", low: "낮음", medium: "보통", high: "높음", critical: "긴급", priority: "우선순위", waitsFor: "기다리는 것", mayWaitFor: "기다릴 수 있는 것", history: "이력", graph: "막고 있는 것", graphHint: "화살표는 먼저 일어나야 할 것에서 기다리는 할 일로 향합니다. 점선은 추정입니다.", graphMore: "막힌 할 일 {blocked}개 중 {drawn}개를 그렸습니다.", condition: "조건", artifact: "산출물", unknown: "알 수 없음", open: "열림", closed: "닫힘", changedAt: "바뀐 때", description: "설명",
    task_created: "만들어짐", task_status_changed: "상태가 바뀜", task_priority_changed: "우선순위가 바뀜", task_blockers_set: "막는 것이 바뀜", task_transition_rejected: "이동이 거부됨", task_title_changed: "제목이 바뀜",
    modeEndless: "무한 모드가 켜져 있습니다. 기억이 대화를 넘어 이어집니다.", modeSession: "무한 모드가 꺼져 있습니다. 대화마다 따로 기억합니다.", workingSet: "작업 집합", expires: "만료", consolidated: "통합된 기억", continuity: "연속성", continuityNow: "현재 연속성", topics: "주제", fromN: "기억 {n}개에서", seamless: "이어짐", topic_shift: "주제 전환", break: "끊김", turnOn: "켜기", turnOff: "끄기",
    layer: "계층", size: "크기", waiting: "대기", moved: "마지막 이동", never: "없음", checkNow: "저장소 전체 검사", checking: "검사 중…", checkHint: "모든 표와 색인을 로그와 견줍니다. 시간이 걸릴 수 있습니다.", sound: "정상: 기록 {n}개, 모든 계층이 로그와 같습니다.", damaged: "{place}에 손상: {problem}", remedy: "해결 방법", ignored: "기록 {n}개를 건너뜁니다.", lexical: "검색 색인", segments: "세그먼트 {n}개", memtable: "메모리에 {n}개", embeddings: "벡터", noEmbedder: "임베더 없음: 낱말과 관련 낱말로 찾습니다.", privacy: "개인정보 필터", secretsMasked: "가린 비밀", privateSections: "제외한 비공개 부분", given: "에이전트에게 준 것", reusedOf: "{m}번 중 {n}번 쓰임", levels: "단계",
    damaged_index: "검색 색인 일부가 손상되었습니다", open_erasures: "지우기가 다른 프로그램을 기다립니다", over_quota: "저장소가 한도를 넘었습니다", failed_embeddings: "임베딩하지 못한 글이 있습니다",
    layer_tasks: "할 일", layer_conditions: "조건", layer_artifacts: "산출물", layer_entries: "항목", layer_edges: "관계", layer_build_runs: "학습 실행", layer_decisions: "기록된 결정", layer_conflicts: "이견", layer_promotions: "승급", layer_pipeline_metrics: "파이프라인 수치", layer_memory_resolutions: "해소", layer_accesses: "쓰임", layer_levels: "단계", layer_insights: "통찰", layer_working_set: "작업 집합", layer_consolidated: "통합된 기억", layer_continuity: "연속성", layer_outbox: "발신함",
    store: "저장소", source: "지정한 곳", quota: "경고 한도", mode: "모드", modeWord_session: "세션", modeWord_endless: "무한", version: "버전", default: "사용자 기본", limits: "무한 모드의 한도", onlyProject: "처음 보이는 것",
    removeIntro: "잊으면 기억이 바로 보이지 않게 됩니다. 지우면 저장소 파일에서도 모든 바이트가 없어집니다. 둘 다 되돌릴 수 없습니다.", what: "대상", byCitation: "이 기억들", byCitationHint: "인용을 띄어 써서, 예: mem:a7Bc3x", bySession: "대화 하나", bySessionHint: "대화 이름", byTime: "어느 날 이전 모두", byProject: "프로젝트 전체", everything: "모두", how: "방법", forget: "잊기", erase: "지우기", forgetHint: "어디에도 보이지 않습니다", eraseHint: "저장소에 한 바이트도 남지 않습니다", count: "먼저 세기", wouldForget: "기억 {n}개를 잊게 됩니다.", wouldErase: "기억 {n}개를 지우게 됩니다.", noneMeant: "해당하는 기억이 없습니다.", alsoErase: "그중 이미 잊은 것도 지웁니다.", sure: "되돌릴 수 없음을 이해합니다", doForget: "기억 {n}개 잊기", doErase: "기억 {n}개 지우기", cancel: "취소", receipt: "처리 결과", removedForget: "기억 {n}개를 잊었습니다", removedErase: "기억 {n}개를 지웠습니다", ofSessions: "대화", textBytes: "글", dependents: "함께 지운 파생 기록", reduced: "일부만 지운 기록", places: "비운 곳", openPlaces: "아직 남은 곳", complete: "저장소에는 그 글이 한 바이트도 남지 않았습니다. 다른 곳의 사본은 직접 지우세요.", incomplete: "저장소를 쓰는 다른 프로그램을 닫고 “recallite maintain”을 실행하세요.", tombstone: "기록 위치", segmentsWaiting: "“recallite maintain”을 실행하면 검색 색인에서도 낱말이 사라집니다.", choose: "고르기",
    failedTitle: "처리하지 못했습니다", tryAgain: "다시 시도", gone: "뷰어가 응답하지 않습니다. “recallite view”가 실행 중인가요?", notFound: "여기에 없습니다", notFoundText: "잊었거나 지웠거나, 주소가 잘못되었습니다.", unauthorized: "뷰어가 새로 시작되었습니다. 출력된 주소를 여세요.",
  },
};

export const LANGUAGES = { en: "English", ko: "한국어" };
const KEPT = "recallite-language";

/** The language: what the person chose, or what the browser prefers. */
export function useLanguage(chosen) {
  if (chosen) localStorage.setItem(KEPT, chosen);
  const kept = localStorage.getItem(KEPT);
  if (kept in WORDS) document.documentElement.lang = kept;
}

/** A text of ours with its numbers and names put in. */
export function t(key, values = {}) {
  const words = WORDS[document.documentElement.lang] ?? WORDS.en;
  const text = words[key] ?? WORDS.en[key] ?? String(key).replaceAll("_", " ");
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}
