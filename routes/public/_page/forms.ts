import type { HandlerWorker } from "../../_http/embedding.ts";
import type { Storage } from "../../../adapters/storage.ts";
import { FORM_MAIL_COUNT } from "../../../services/proof/rate.ts";
import type { RequestedItem } from "../../../services/proof/admission.ts";
import { SETTINGS } from "../../../model/kinds.ts";
import { textsOf } from "../../../model/locales/locales.ts";
import { parseEmailAddress } from "../../../model/values/email_address.ts";
import { Refusal } from "../../../model/values/refusal.ts";
import type { Context } from "../../_http/operation.ts";
import type { Reply } from "../../_http/reply.ts";
import { createNoteReply, type NoteReply } from "./note_reply.ts";
import type { NotePart } from "./notes.ts";
import type { NoteContent } from "../people/confirm_page.ts";
import { type PublicSite, renderWay, TRAP_FIELD } from "./site.ts";
import { PERSONAL_HEADERS } from "./visitor.ts";

/** An optional form field that accepts any text, because the form itself shows errors. */
interface FormField {
  readonly schema: {
    readonly description: string;
    readonly type: "string";
    readonly examples?: readonly [string];
  };
  readonly parse: (text: string) => string;
}

/** Creates a field of a form; with an example if a form sent by hand needs the field. */
export function formField(description: string, example?: string): FormField {
  const schema = { description, type: "string" } as const;
  return {
    schema: example === undefined ? schema : { ...schema, examples: [example] },
    parse: (text) => text,
  };
}

export const FORM_FIELDS = {
  userEmail: formField("The address, which is proven by mail.", "ann@example.com"),
  notify: formField("`true`: the person asks for mail about it; `false`: for none."),
  [TRAP_FIELD]: formField("People don't see this field: a form in which it is filled is dropped."),
} as const;

/** The replies that the forms of a site share. */
export interface FormReplies {
  /** Shows a page for one reader, which is never cached. */
  readonly show: (status: number, content: NoteContent) => Promise<Reply>;
  /** The page that asks people to look for today's mail. It is the same for every address. */
  readonly sent: (more: NotePart) => Promise<Reply>;
  /** The page for a form that another site has sent. */
  readonly foreign: (url: string) => Promise<Reply>;
  readonly missing: () => Promise<Reply>;
}

export function createFormReplies(
  site: PublicSite,
  reply: NoteReply = createNoteReply(site),
): (context: Pick<Context, "storage">) => FormReplies {
  const texts = textsOf(site.language);

  return ({ storage }) => {
    async function show(status: number, content: NoteContent): Promise<Reply> {
      const shown = await reply(storage, status, ({ note }) => note(content));
      return { ...shown, headers: { ...shown.headers, ...PERSONAL_HEADERS } };
    }

    return {
      show,
      sent: (more) => reply(storage, 200, ({ sent }) => sent(more)),
      missing: () => reply(storage, 404, ({ problem }) => problem(404)),
      foreign: (url) =>
        show(403, {
          title: texts.foreign,
          hint: texts.foreignHint,
          rest: renderWay(url, texts.goOn),
        }),
    };
  };
}

/** A form of a person who has to prove their address. */
export interface AddressForm {
  readonly userEmail: string;
  readonly item: RequestedItem | undefined;
  readonly boardId: string | null;
  /** Whether a script sent the form. It gets the same reply, and is dropped. */
  readonly isDropped: boolean;
}

/**
 * Sends a mail to prove the address of a form. The page is ready before, and sent before the mail,
 * so that it takes the same time for every address.
 */
export async function askForProof(
  { storage, worker }: {
    readonly storage: Storage;
    readonly worker: Pick<HandlerWorker, "askForProof"> | undefined;
  },
  { isDropped, ...request }: AddressForm,
): Promise<void> {
  // Fails if storage can't be read, because then no mail would come.
  await storage.get(SETTINGS, FORM_MAIL_COUNT);
  if (!isDropped) worker?.askForProof?.(request);
}

/**
 * Reads whether the person asks for mail; `undefined` if the form does not say so, which leaves an
 * earlier request as it was.
 */
export function readNotify(text: string | null | undefined): boolean | undefined {
  return text === "true" ? true : text === "false" ? false : undefined;
}

/** Reads the address of a form; `undefined` if it is invalid. */
export function readFormAddress(text: string | null | undefined): string | undefined {
  const userEmail = parseEmailAddress(text ?? "");
  return userEmail instanceof Refusal ? undefined : userEmail;
}
