import { exampleOf } from "../../model/declare.ts";
import { ENTRY } from "../../model/entries/entry.ts";
import {
  accept,
  askToSave,
  type Draft,
  type Entry,
  type Fault,
  type Found,
  isDirty,
  isLive,
  isUnsentDraft,
  keptOf,
  nameDraft,
  newDraft,
  openDraft,
  reconnect,
  type Request,
  restoreDraft,
  typeAddress,
  typeWords,
} from "../../studio/drafts/draft.js";
import {
  copyDraft,
  loseResponse,
  markSent,
  notice,
  resolve,
  takeFault,
  takeResponse,
} from "../../studio/drafts/responses.js";
import { nextRequest, statusOf } from "../../studio/drafts/requests.js";
import { FIELDS, toJson, type Words } from "../../studio/drafts/words.js";

/** An entry in the world, and the draft that created it. */
interface Stored {
  readonly entry: Entry;
  readonly etag: string;
  readonly draftId: string;
  readonly wasPublic: boolean;
  /** The writers since its creation: drafts, or `others`. */
  readonly writers: readonly string[];
}

/** The fate of a request and of its response. */
export type Luck = "answered" | "answer lost" | "request lost";

/** A server, a browser with tabs and its storage, and another person. */
export class World {
  readonly entries = new Map<string, Stored>();
  readonly kept = new Map<string, Draft>();
  readonly tabs: Draft[] = [];
  /** The words that a person wrote and that nobody gave up or deleted. */
  readonly words = new Set<string>();
  /** The observed faults. */
  readonly faults: string[] = [];
  #asked: { id: string; words: Words }[] = [];
  #count = 0;

  constructor(readonly random: (below: number) => number) {}

  number(): number {
    return ++this.#count;
  }

  openNew(): void {
    // A draft that may already be stored continues as its own entry.
    for (const kept of this.kept.values()) {
      if (!kept.base && !isUnsentDraft(kept) && !this.#isOpen(kept.id)) {
        this.tabs.push(restoreDraft(kept));
        return;
      }
    }
    const kept = [...this.kept.values()].find((one) => isUnsentDraft(one) && !this.#isOpen(one.id));
    this.tabs.push(kept ? restoreDraft(kept) : newDraft(this.#newId()));
  }

  #newId(): string {
    return `draft-${`${this.number()}`.padStart(12, "0")}`;
  }

  openStored(entryId: string): void {
    const kept = [...this.kept.values()].find(({ id, base }) =>
      (base?.entry.entryId ?? id) === entryId && !this.#isOpen(id)
    );
    const found = this.entries.get(entryId);
    if (kept) this.tabs.push(restoreDraft(kept));
    else if (found) this.tabs.push(openDraft(this.#newId(), found));
  }

  close(tab: number): void {
    this.tabs.splice(tab, 1);
  }

  type(tab: number, field: keyof Words): void {
    const word = `w${this.number()}`;
    const draft = this.tabs[tab];
    const isRefused = field === "labels" && this.random(4) === 0;
    const text = isRefused ? "ü é 新" : `${draft.words[field]} ${word}`.trim();
    // The final check looks only for texts.
    if (field !== "labels" && field !== "posts") this.words.add(word);
    this.#set(tab, typeWords(draft, { ...draft.words, [field]: text }));
  }

  save(tab: number): void {
    const draft = this.tabs[tab];
    if (isLive(draft)) this.#asked.push({ id: draft.id, words: draft.words });
    this.#set(tab, askToSave(draft));
  }

  /** Sends the pending request of a tab, if there is one. */
  send(tab: number, luck: Luck): boolean {
    const draft = this.tabs[tab];
    const request = nextRequest(draft);
    if (request === undefined) return false;
    this.#set(tab, markSent(draft, request));
    const answer = luck === "request lost" ? undefined : this.#handle(request, draft.id);
    // The page may be closed by then.
    if (answer !== undefined && luck === "answer lost" && this.random(3) === 0) {
      this.close(tab);
      return true;
    }
    const sent = this.tabs[tab];
    if (answer === undefined || luck === "answer lost") this.#set(tab, loseResponse(sent));
    else if ("entry" in answer) this.#set(tab, takeResponse(sent, answer));
    else this.#set(tab, takeFault(sent, answer));
    return true;
  }

  reconnect(tab: number): void {
    this.#set(tab, reconnect(this.tabs[tab]));
  }

  /** Simulates that the person returns to the page. */
  look(tab: number): void {
    const draft = this.tabs[tab];
    if (draft.base === undefined) return;
    const found = this.entries.get(draft.base.entry.entryId);
    this.#set(tab, notice(draft, found));
  }

  /** Gives a draft the address made from its title, as publishing does. */
  name(tab: number): void {
    const draft = this.tabs[tab];
    if (draft.base && !isLive(draft) && this.#isAnswered(tab)) this.#set(tab, nameDraft(draft));
  }

  typeAddress(tab: number): void {
    const next = typeAddress(this.tabs[tab], `a${this.number()}`);
    if (this.#isAnswered(tab)) this.#set(tab, next);
  }

  /** Answers the question that a tab asks the person; returns whether there was one. */
  decide(tab: number): boolean {
    const draft = this.tabs[tab];
    if (draft.isGone) {
      const isThere = [...this.entries.values()].some(({ entry }) =>
        entry.createdAt === draft.base?.entry.createdAt
      );
      if (isThere) this.faults.push(`${draft.id} is said to be gone`);
      this.#forget(draft.id);
      this.tabs[tab] = copyDraft(draft, this.#newId());
      this.#set(tab, accept(this.tabs[tab]));
      return true;
    }
    if (draft.theirs) {
      const stored = this.entries.get(draft.theirs.entry.entryId);
      if (stored?.writers.every((id) => id === draft.id)) {
        this.faults.push(`${draft.id} is in conflict with itself`);
      }
      const choice = this.random(3);
      if (choice === 0) {
        this.#asked.push({ id: draft.id, words: draft.words });
        // The other person's words are replaced.
        this.#giveUp(textOf(draft.theirs.entry));
        this.#set(tab, resolve(draft, "mine"));
      } else {
        if (choice === 1) this.tabs.push(copyDraft(draft, this.#newId()));
        else this.#giveUp(Object.values(draft.words).join(" "));
        this.#set(tab, resolve(draft, "theirs"));
        if (choice === 1) this.#set(this.tabs.length - 1, this.tabs.at(-1)!);
      }
      return true;
    }
    if (draft.isHeld) {
      this.#set(tab, accept(draft));
      return true;
    }
    const refused = draft.refused.labels?.value === draft.words.labels && draft.words.labels !== "";
    if (refused) this.#set(tab, typeWords(draft, { ...draft.words, labels: "" }));
    else if (isLive(draft) && isDirty(draft) && nextRequest(draft) === undefined) this.save(tab);
    else return false;
    return true;
  }

  /** Somebody else changes, publishes, withdraws or deletes an entry, or takes an address. */
  meddle(): void {
    const all = [...this.entries.keys()];
    const entryId = all[this.random(all.length)];
    const stored = entryId === undefined ? undefined : this.entries.get(entryId);
    if (stored === undefined) return;
    const { entry } = stored;
    switch (this.random(6)) {
      case 0: {
        const field = (["title", "body"] as const)[this.random(2)];
        const word = `o${this.number()}`;
        const writers = [...stored.writers, "others"];
        const next = { ...entry, [field]: `${entry[field]} ${word}` };
        this.words.add(word);
        return this.#put({ ...stored, writers, entry: next });
      }
      case 1:
        return this.#put({ ...stored, wasPublic: true, entry: { ...entry, state: "published" } });
      case 2:
        return this.#put({ ...stored, entry: { ...entry, state: "scheduled" } });
      case 3: {
        const isMoved = !stored.wasPublic && entry.state === "draft";
        const entryId = isMoved ? `o${this.number()}` : entry.entryId;
        if (isMoved && !this.#isCreatorAnswered(stored.draftId)) return;
        const next = { ...entry, entryId, state: "draft" as const };
        this.entries.delete(entry.entryId);
        return this.#put({ ...stored, entry: next });
      }
      case 4:
        this.#giveUp(textOf(entry));
        this.entries.delete(entry.entryId);
        return;
      default: {
        const other = { ...entry, entryId: `w${this.#count + 1}`, title: "o", body: "o" };
        if (!this.entries.has(other.entryId)) this.#create(other, "others");
      }
    }
  }

  /** Tells whether the tab that created a tab's entry got the response. */
  #isAnswered(tab: number): boolean {
    const { base, id } = this.tabs[tab];
    const stored = this.entries.get(base?.entry.entryId ?? id);
    return stored === undefined || this.#isCreatorAnswered(stored.draftId);
  }

  /** Nobody moves a draft before its first response has arrived. */
  #isCreatorAnswered(draftId: string): boolean {
    return [...this.kept.values(), ...this.tabs].every(({ id, base }) =>
      id !== draftId || base !== undefined
    );
  }

  #isOpen(id: string): boolean {
    return this.tabs.some((tab) => tab.id === id);
  }

  #set(tab: number, draft: Draft): void {
    this.tabs[tab] = draft;
    if (statusOf(draft) === "saved" && isDirty(draft)) {
      this.faults.push(`${draft.id} is said to be saved`);
    }
    const kept = keptOf(draft);
    if (kept === undefined) this.#forget(draft.id);
    else this.kept.set(draft.id, structuredClone(kept));
  }

  #forget(id: string): void {
    this.kept.delete(id);
  }

  #giveUp(text: string): void {
    for (const word of text.split(" ")) this.words.delete(word);
  }

  #put(stored: Omit<Stored, "etag">): void {
    this.entries.set(stored.entry.entryId, { ...stored, etag: `"${this.number()}"` });
  }

  #create(entry: Omit<Entry, "createdAt">, draftId: string): void {
    const isThere = [...this.entries.values()].some((stored) => stored.draftId === draftId);
    if (isThere && draftId !== "others") this.faults.push(`${draftId} is stored twice`);
    const createdAt = `${this.number()}`;
    const writers = [draftId];
    this.#put({ entry: { ...entry, createdAt }, draftId, writers, wasPublic: false });
  }

  #handle(request: Request, id: string): Found | Fault {
    if (request.kind === "find") {
      const all = [...this.entries.values()];
      const found = all.find(({ entry }) => entry.createdAt === request.createdAt);
      return found ?? fault(404, "entry_not_found");
    }
    const stored = this.entries.get(request.entryId);
    if (request.kind === "look") return stored ?? fault(404, "entry_not_found");
    const json = toJson(request.words) as Partial<Entry>;
    if (json.labels?.some((label) => !/^[a-z0-9-]{1,40}$/.test(label))) {
      return fault(422, "validation_failed", "labels");
    }
    if (request.kind === "create") {
      if (stored) return fault(409, "entry_exists");
      this.#create({ ...EMPTY, ...json, entryId: request.entryId }, id);
      return this.entries.get(request.entryId)!;
    }
    if (!stored) return fault(404, "entry_not_found");
    if (stored.etag !== request.etag) return fault(412, "precondition_failed");
    const { to = request.entryId } = request;
    const isMoved = to !== request.entryId;
    if (isMoved && (stored.wasPublic || stored.entry.state !== "draft")) {
      return fault(422, "validation_failed", "entryId");
    }
    if (isMoved && this.entries.has(to)) return fault(409, "entry_exists");
    if (stored.entry.state !== "draft") this.#checkAsked(request.words, id);
    this.entries.delete(request.entryId);
    const writers = [...stored.writers, id];
    this.#put({ ...stored, writers, entry: { ...stored.entry, ...json, entryId: to } });
    return this.entries.get(to)!;
  }

  #checkAsked(words: Partial<Words>, id: string): void {
    for (const field of FIELDS) {
      const value = words[field];
      const isAsked = value === undefined ||
        this.#asked.some((asked) => asked.id === id && asked.words[field] === value);
      if (!isAsked) this.faults.push(`${id} made ${field} public unasked: ${value}`);
    }
  }
}

const EMPTY = {
  ...exampleOf(ENTRY.fields),
  ...{ title: "", body: "", labels: [], url: null, posts: [] },
  ...{ state: "draft" as const, publishedAt: null, updatedAt: "" },
};

function fault(status: number, code: string, field?: string): Fault {
  const errors = field === undefined ? [] : [{ field, code: "invalid_value", detail: "" }];
  return { status, code, errors };
}

function textOf({ title, body, url }: Entry): string {
  return `${title} ${body} ${url ?? ""}`;
}

/** All that is stored. */
export function textsOf({ entries }: World): string {
  return [...entries.values()].map(({ entry }) => textOf(entry)).join(" ");
}
