import { choice } from "../declare.ts";
import { LABEL_PATTERN, parseLabels } from "../entries/entry.ts";
import type { SentField } from "../resource.ts";
import { Refusal } from "../values/refusal.ts";

/** Limit of labels that the page of choices offers. */
export const MAX_OFFERED = 40;

/** The paces of mail: a mail for each entry, or one mail for the entries of a week. */
export const PACES = ["each", "weekly"] as const;

/** One of the {@linkcode PACES}. */
export type Pace = typeof PACES[number];

/** The entries that a person gets, and how often. */
export interface Choices {
  /** Only entries with one of these labels, up to 20; `null`: every entry. */
  readonly labels: readonly string[] | null;
  /** The person's pace of mail. */
  readonly pace: Pace;
}

/** Limit of labels that a person may choose. */
export const MAX_LABELS = 20;

/** The declaration of the labels that a person has chosen. @internal */
export const CHOSEN_LABELS: SentField<readonly string[] | null> = {
  schema: {
    description:
      `Up to ${MAX_LABELS} labels: only entries with one of them are mailed; \`null\`: all. In a text, ` +
      "spaces separate them.",
    type: ["array", "null"],
    items: { type: "string", pattern: LABEL_PATTERN },
    examples: [null],
  },
  parse: parseChosenLabels,
  limits: { minItems: 1, maxItems: MAX_LABELS },
};

/** The declaration of the pace at which a person is mailed. @internal */
export const CHOSEN_PACE: SentField<Pace> = choice(
  PACES,
  "Whether each entry is mailed by itself, or those of a week in one mail.",
  { default: "each" },
);

/** A person's choices, and the changes of their pace. */
export interface Paced extends Choices {
  /** The versions of the changelog when `pace` last changed, newest first. */
  readonly paceChanges: readonly number[];
}

// Nobody changes the pace more often while one delivery runs. Two changes undo each other, so that
// the oldest can be dropped in pairs.
const MAX_PACE_CHANGES = 8;

/**
 * Adds a change of the pace at a version to the known changes. A second change at the same version,
 * or after a clock went back, undoes the first.
 */
export function changePace(known: readonly number[], version: number): readonly number[] {
  if (known[0] >= version) return known.slice(1);
  const changes = [version, ...known];
  return changes.length > MAX_PACE_CHANGES ? changes.slice(0, -2) : changes;
}

/**
 * Returns the pace that a person had when the delivery with this number began, so that people who
 * change their pace during a delivery get each entry exactly once.
 */
export function paceAt({ pace, paceChanges }: Omit<Paced, "labels">, number: number): Pace {
  const isSame = paceChanges.filter((version) => version >= number).length % 2 === 0;
  return isSame === (pace === "each") ? "each" : "weekly";
}

/** Tells whether a person wants an entry, by its labels. */
export function wants({ labels }: Pick<Choices, "labels">, of: readonly string[]): boolean {
  return labels === null || labels.some((label) => of.includes(label));
}

function parseChosenLabels(text: string): readonly string[] | null | Refusal {
  const labels = parseLabels(text, MAX_LABELS);
  return labels instanceof Refusal || labels.length > 0 ? labels : null;
}
