/** The labels that entries have. */
export const LABELS = ["new", "fix", "security"];

/** A person's choices; `undefined` stands for an erased person. */
export interface State {
  readonly isSubscribed: boolean;
  readonly labels: readonly string[] | null;
  readonly pace: "each" | "weekly";
}

/** An entry, as far as it decides who gets it. */
export interface Entry {
  readonly entryId: string;
  labels: readonly string[];
  isPublic: boolean;
  /** The pace that each person had when it began to be mailed. */
  paces: ReadonlyMap<string, string | undefined>;
}

/** A mailing of one entry, or of the entries of a week. */
export interface Mailing {
  readonly key: string;
  readonly entries: readonly Entry[];
  readonly pace: State["pace"];
}

/** The states of a person that the service has acknowledged, and the change in progress. */
export class Person {
  readonly states: (State | undefined)[];
  pending: (State | undefined)[] = [];

  constructor(readonly email: string, first: State) {
    this.states = [first];
  }

  get state(): State | undefined {
    return this.states.at(-1);
  }

  /** Returns the states that may have been current since the person had `count` of them. */
  since(count: number): readonly (State | undefined)[] {
    return [...this.states.slice(count - 1), ...this.pending];
  }
}

/**
 * Returns the entries of a mailing for a person whose state never changed; empty if they get no
 * mail.
 */
export function wanted(mailing: Mailing, email: string, state: State | undefined): string {
  if (!state?.isSubscribed) return "";
  return mailing.entries.filter(({ labels, isPublic, paces }) =>
    isPublic && paces.get(email) === mailing.pace &&
    (state.labels === null || state.labels.some((label) => labels.includes(label)))
  ).map(({ entryId }) => entryId).join();
}
