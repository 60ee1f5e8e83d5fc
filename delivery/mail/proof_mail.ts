import { escapeHtml } from "../../std.ts";
import { textsOf } from "../../model/locales/locales.ts";
import { BOARDS, SUBSCRIPTIONS } from "../../model/kinds.ts";
import type { ProofMail } from "../../model/proof/pending.ts";
import { openMailIds } from "../../services/deliveries/mail_ids.ts";
import { sealLink } from "../../services/proof/links.ts";
import { readItemType } from "../../services/proof/pending.ts";
import { signUpState } from "../../services/proof/sign_ups.ts";
import type { Mail } from "./mailer.ts";
import { addressMail, type MailSettings } from "./list_mail.ts";
import type { MailTools } from "./rounds/round.ts";
import { renderMail } from "./template.ts";
import { erasureOf } from "../../services/privacy/erased.ts";

/** Storage with people's state, and the settings of mails. */
type ProofMailTools = Pick<MailTools, "storage"> & { readonly mailSettings: MailSettings };

/** The texts of a mail that proves an address. */
interface Words {
  readonly subject: string;
  readonly text: string;
  readonly label: string;
  readonly note: string;
}

/**
 * Writes the mail with which a person proves their address: one link, and no content of the form.
 */
export async function writeProofMail(
  proof: ProofMail,
  userEmail: string,
  { storage, mailSettings, at }: ProofMailTools & {
    readonly at: string;
  },
): Promise<Mail> {
  const { footer, publicUrl } = mailSettings;
  const { mailboxId, mailedAt } = proof;
  const { subject, text, label, note } = await chooseWords(proof, userEmail, {
    storage,
    mailSettings,
  });
  const token = await sealLink(storage, {
    userEmail,
    mailedAt: at,
    erasedAt: await erasureOf(storage, userEmail),
    state: await signUpState(storage, userEmail),
    itemId: proof.itemId,
  });
  const parts = renderMail(mailSettings, {
    title: subject,
    preheader: text,
    hasOneLink: true,
    body: { html: `<p>${escapeHtml(text)}</p>\n`, text },
    action: { label, url: `${publicUrl}/confirm/${token}` },
    footer,
    notes: note === "" ? [] : [note],
  });
  const sender = { settings: mailSettings, ids: await openMailIds(storage) };
  return await addressMail(sender, {
    name: `proof ${mailboxId} ${mailedAt}`,
    to: userEmail,
    subject,
    ...parts,
    headers: { "Auto-Submitted": "auto-generated" },
  });
}

async function chooseWords(
  { boardId, waiting, itemId }: ProofMail,
  userEmail: string,
  { storage, mailSettings: { title, language } }: ProofMailTools,
): Promise<Words> {
  const texts = textsOf(language);
  const board = boardId === null ? undefined : await storage.get(BOARDS, boardId);
  if (boardId !== null || waiting.length === 0) {
    const name = board === undefined ? title : `${title}, ${board.name}`;
    const type = await readItemType(storage, itemId);
    const subjectOf = { "vote": texts.voteSubject, "idea": texts.ideaSubject } as const;
    return {
      subject: (type === "sign-up" || !type ? texts.mailSubject : subjectOf[type])(name),
      text: texts.mailText(name),
      label: texts.mailLink,
      note: texts.mailIgnore,
    };
  }
  const subscription = await storage.get(SUBSCRIPTIONS, userEmail);
  return subscription?.subscribed
    ? {
      subject: texts.alreadySubject(title),
      text: texts.alreadyText(title, userEmail),
      label: texts.choose,
      note: "",
    }
    : {
      subject: texts.confirmSubject(title),
      text: texts.confirmRequest(title, userEmail),
      label: texts.confirmLink,
      note: texts.confirmIgnore,
    };
}
