import type { Storage } from "../../adapters/storage.ts";
import { escape as escapeHtml } from "@std/html/entities";
import { randomText } from "../../model/crypto/random.ts";
import { textsOf } from "../../model/locales/locales.ts";
import type { Cipher } from "../../model/crypto/cipher.ts";
import {
  admitSignUp,
  forgetSignUp,
  prepareConfirmation,
  type SignUp,
  type SignUpRate,
} from "../../services/subscriptions/sign_ups.ts";
import { addressMail, type MailSettings } from "./list_mail.ts";
import type { Clock } from "../loop.ts";
import { renderMail } from "./template.ts";
import type { Mail, Mailer } from "./mailer.ts";

/** What sign-ups are answered with. */
export interface SignUpTools {
  readonly storage: Storage;
  readonly mailer: Mailer;
  readonly clock: Clock;
  readonly mailSettings: MailSettings;
  readonly rate: SignUpRate;
  /** Opens what seals the links to confirm. */
  readonly openCipher: (storage: Storage) => Promise<Cipher>;
  /** Returns the link by which the owner of an address unsubscribes. */
  readonly createLink: (userEmail: string) => Promise<string>;
  readonly onError: (error: unknown) => void;
}

/** Mails to people who sign up. */
export interface SignUps {
  /** Begins to mail to somebody, as far as the limits allow, and returns at once. */
  add(signUp: SignUp): void;
  /** Resolves when the mails under way are sent. */
  close(): Promise<void>;
}

// More at a time are a script's, and forgotten.
const MAX_IN_FLIGHT = 100;
const RETRY_MS = [30_000, 300_000];

/** Creates what mails to people who sign up: a link to confirm, or that they are subscribed already. */
export function createSignUps(tools: SignUpTools): SignUps {
  const { storage, mailer, clock, rate, onError } = tools;
  const closing = new AbortController();
  const inFlight = new Set<Promise<void>>();
  const now = () => new Date(clock.now()).toISOString();

  async function carryOut(signUp: SignUp): Promise<void> {
    // The page comes first, so that it takes as long for every address.
    await new Promise((resolve) => setTimeout(resolve));
    const at = now();
    const { userEmail } = signUp;
    if (!await admitSignUp(storage, userEmail, { rate, at })) return;
    try {
      const isSent = await sendWithRetries(await writeMail(tools, signUp, at));
      if (!isSent) await forgetSignUp(storage, userEmail);
    } catch (error) {
      await forgetSignUp(storage, userEmail);
      throw error;
    }
  }

  /** Returns `false` where the relay refuses the mail for good, as where an address is mistyped. */
  async function sendWithRetries(mail: Mail): Promise<boolean> {
    for (const pauseMs of [...RETRY_MS, undefined]) {
      try {
        const { state } = await mailer.send(mail);
        if (state !== "deferred") return state !== "refused";
        throw new Error("The relay deferred the mail");
      } catch (error) {
        if (pauseMs === undefined || closing.signal.aborted) throw error;
        await clock.sleep(pauseMs, closing.signal);
      }
    }
    return false;
  }

  return {
    add(signUp) {
      if (inFlight.size >= MAX_IN_FLIGHT || closing.signal.aborted) return;
      const task = carryOut(signUp).catch(onError).finally(() => inFlight.delete(task));
      inFlight.add(task);
    },
    async close() {
      closing.abort();
      await Promise.all(inFlight);
    },
  };
}

async function writeMail(
  { storage, mailSettings, openCipher, createLink }: SignUpTools,
  signUp: SignUp,
  at: string,
): Promise<Mail> {
  const { userEmail } = signUp;
  const { footer, title, publicUrl } = mailSettings;
  const texts = textsOf(mailSettings.language);
  const confirmation = await prepareConfirmation(storage, signUp, at);
  const [subject, text, note, label, url] = confirmation === undefined
    ? [
      texts.alreadySubject(title),
      texts.alreadyText(title, userEmail),
      "",
      texts.unsubscribe,
      await createLink(userEmail),
    ]
    : [
      texts.confirmSubject(title),
      texts.confirmRequest(title, userEmail),
      texts.confirmIgnore,
      texts.confirmLink,
      `${publicUrl}/confirm/${await (await openCipher(storage)).encrypt(
        JSON.stringify(confirmation),
      )}`,
    ];
  const parts = renderMail(mailSettings, {
    title: subject,
    preheader: text,
    hasOneLink: true,
    body: { html: `<p>${escapeHtml(text)}</p>\n`, text },
    action: { label, url },
    footer,
    notes: note === "" ? [] : [note],
  });
  return addressMail(mailSettings, {
    ...{ id: randomText(32), to: userEmail, subject, ...parts },
    headers: { "Auto-Submitted": "auto-generated" },
  });
}
