import { type Mailer, MailerError } from "@boardcast/boardcast";
import type { Transporter } from "nodemailer";

/** The members that nodemailer adds to errors. */
interface TransportError {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
  readonly response?: string;
}

/** Creates a mailer that sends through a transport of nodemailer. */
export function createNodemailerMailer(transport: Transporter): Mailer {
  return {
    async send(mail) {
      try {
        await transport.sendMail({ ...mail });
        return { state: "sent" };
      } catch (error) {
        const { code, command, responseCode = 0, response = "" } = error as TransportError;
        const isOfRecipient = command === "RCPT TO" || command === "DATA";
        if (!isOfRecipient || responseCode < 400 || responseCode === 421) {
          throw new MailerError(`Cannot use the mail relay: ${code}`, { cause: error });
        }
        const [, status] = /^\d{3}.(\d\.\d+\.\d+)/.exec(response) ?? [];
        return {
          state: responseCode < 500 ? "deferred" : "refused",
          code: status ?? `${responseCode}`,
          text: response.replace(/\S+@\S+/g, "…"),
        };
      }
    },
    close: () => Promise.resolve(transport.close()),
  };
}
