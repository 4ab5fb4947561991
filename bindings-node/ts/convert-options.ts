/** The options of opening that have parts of their own. */

import type * as Native from '../native';

import { record, required, type Checked, type FieldType } from './check.js';

type Fields = Readonly<Record<string, FieldType>>;

/** The options of this file and the plain ones beside them. */
export const storeFields: Fields = {
  recallCache: 'boolean',
  embeddingTimeoutMs: 'number',
  quotaBytes: 'number',
  sizeLimitBytes: 'number',
  privacy: 'any',
  toolLimits: 'any',
  recallWeights: 'any',
  retentionMs: 'any',
  fastembed: 'any',
  embedder: 'any',
};

const privacyFields: Fields = {
  privateTags: 'boolean',
  marker: 'string',
  formats: 'strings',
  preserveLineCount: 'boolean',
  excludePatterns: 'strings',
  autoDetect: 'boolean',
  autoDetectPatterns: 'strings',
  codeAware: 'boolean',
  anonymize: 'boolean',
};

const toolFields: Fields = {
  maxOutputChars: 'number',
  maxOutputLines: 'number',
  keepWholeOutput: 'boolean',
};

const weightFields: Fields = {
  softWords: 'number',
  wordPairs: 'number',
  nearnessByWords: 'number',
  nearnessByVectors: 'number',
  passageUnion: 'number',
  contextScores: 'number',
  scorePrevious: 'number',
  scoreNext: 'number',
  scoreSecondPrevious: 'number',
  scoreSecondNext: 'number',
  afterQuestion: 'number',
  contextWords: 'number',
  wordsPrevious: 'number',
  wordsNext: 'number',
  wordsSecondPrevious: 'number',
  wordsSecondNext: 'number',
  longTurnDamping: 'number',
  questionPenalty: 'number',
  namedActor: 'number',
  date: 'number',
  temporal: 'number',
  duplicateDemotion: 'number',
  contestedDemotion: 'number',
};

const fastembedFields: Fields = {
  modelDir: 'string',
  onnxruntimeLibrary: 'string',
  maxTokens: 'number',
  threads: 'number',
  id: 'string',
};

/** Checked options, with their parts checked too; the embedder is taken out. */
export function storeOptions(checked: Checked): {
  options: Native.NativeOpenOptions;
  embedder: unknown;
} {
  const { embedder, privacy, toolLimits, recallWeights, retentionMs, fastembed, ...options } = checked;
  if (privacy !== undefined) {
    options['privacy'] = record('privacy', privacy, privacyFields, 'privacy.');
  }
  if (toolLimits !== undefined) {
    options['toolLimits'] = record('toolLimits', toolLimits, toolFields, 'toolLimits.');
  }
  if (recallWeights !== undefined) {
    options['recallWeights'] = record('recallWeights', recallWeights, weightFields, 'recallWeights.');
  }
  if (retentionMs !== undefined) options['retention'] = retention(retentionMs);
  if (fastembed !== undefined) {
    const model = record('fastembed', fastembed, fastembedFields, 'fastembed.');
    required(model, ['modelDir'], 'fastembed.');
    options['fastembed'] = model;
  }
  return { options, embedder };
}

function retention(value: unknown): { kind: string; ms: unknown }[] {
  // The kinds are the core's to know: every name is accepted here.
  const fields = Object.fromEntries(Object.keys(value as object).map((kind) => [kind, 'number'] as const));
  const checked = record('retentionMs', value, fields, 'retentionMs.');
  return Object.entries(checked).map(([kind, ms]) => ({ kind, ms }));
}
