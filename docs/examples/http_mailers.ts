import { type Mailbox, type Mailer, MailerError } from "@boardcast/boardcast";

/** Options of both mailers. */
export interface HttpMailerOptions {
  /** The secret of the account: Resend's API key, or the token of a server of Postmark. */
  readonly secret: string;
  /** Where the API is. Default: at the provider. */
  readonly baseUrl?: string;
}

const TIMEOUT_MS = 30_000;
const GATEWAY_TIMEOUT = 504;

/** Creates a mailer for Resend (resend.com/docs/api-reference/emails/send-email). */
export function createResendMailer(
  { secret, baseUrl = "https://api.resend.com" }: HttpMailerOptions,
): Mailer {
  return {
    async send(mail) {
      const { status, body } = await post(`${baseUrl}/emails`, {
        // The key keeps a mail that is sent again within a day, as after a crash, from going out
        // twice.
        headers: { "Authorization": `Bearer ${secret}`, "Idempotency-Key": mail.messageId },
        body: {
          from: format(mail.from),
          to: mail.to,
          subject: mail.subject,
          text: mail.text,
          html: mail.html,
          headers: mail.headers,
        },
      });
      const { name = "", message = "" } = body as { readonly name?: string; message?: string };
      // An earlier attempt has sent the mail with another unsubscribe link, which works as well.
      if (status < 300 || name === "invalid_idempotent_request") return { state: "sent" };
      if (name === "concurrent_idempotent_requests") return outcome("deferred", "4.4.5", message);
      if (/\bto\b.? field/.test(message)) return outcome("refused", "5.1.3", message);
      throw new MailerError(`Resend answers ${status} ${name}`);
    },
    close: () => Promise.resolve(),
  };
}

/** Options of {@linkcode createPostmarkMailer}. */
export interface PostmarkMailerOptions extends HttpMailerOptions {
  /** The stream, which has to be one for broadcasts. Default: `broadcast`. */
  readonly messageStream?: string;
}

/** Creates a mailer for Postmark (postmarkapp.com/developer/api/email-api). */
export function createPostmarkMailer(
  { secret, messageStream = "broadcast", baseUrl = "https://api.postmarkapp.com" }:
    PostmarkMailerOptions,
): Mailer {
  return {
    async send(mail) {
      const headers = { ...mail.headers, "Message-ID": mail.messageId, "X-PM-KeepID": "true" };
      const { status, body } = await post(`${baseUrl}/email`, {
        headers: { "X-Postmark-Server-Token": secret },
        body: {
          From: format(mail.from),
          To: mail.to,
          Subject: mail.subject,
          TextBody: mail.text,
          HtmlBody: mail.html,
          Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
          MessageStream: messageStream,
        },
      });
      const { ErrorCode = 0, Message = "" } = body as { ErrorCode?: number; Message?: string };
      if (status < 300 && ErrorCode === 0) return { state: "sent" };
      // The address bounced, complained or opted out there. The second time, Boardcast unsubscribes
      // it.
      if (ErrorCode === 406) return outcome("refused", "5.1.1", Message);
      const isOfRecipient = ErrorCode === 300 && /(?:Invalid|Error parsing) 'To'/.test(Message);
      if (isOfRecipient) return outcome("refused", "5.1.3", Message);
      // The mail may have been sent. It is retried as often as other deferred mails.
      if (status === GATEWAY_TIMEOUT) return outcome("unknown", "4.4.2", "No reply");
      throw new MailerError(`Postmark answers ${status}, error ${ErrorCode}`);
    },
    close: () => Promise.resolve(),
  };
}

function outcome(state: "refused" | "deferred" | "unknown", code: string, message: string) {
  return { state, code, text: message.replace(/\s+/g, " ").replace(/\S+@\S+/g, "…") };
}

/** Writes a sender as APIs take it. */
function format({ name, address }: Mailbox): string {
  return name === "" ? address : `"${name.replace(/["\\]/g, "\\$&")}" <${address}>`;
}

async function post(
  url: string,
  { headers, body }: { readonly headers: Record<string, string>; readonly body: unknown },
): Promise<{ readonly status: number; readonly body: unknown }> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "Accept": "application/json", "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, body: await response.json().catch(() => ({})) };
  } catch (error) {
    if ((error as Error).name === "TimeoutError") return { status: GATEWAY_TIMEOUT, body: {} };
    throw new MailerError(`Cannot reach ${new URL(url).host}`, { cause: error });
  }
}
