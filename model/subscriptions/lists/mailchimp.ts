import { Refusal } from "../../values/refusal.ts";
import { type Cells, joinNames, type ListFormat, type ListOptions } from "./list_format.ts";

const UNKNOWN = new Refusal(
  "required",
  "can't be known: Mailchimp writes a file for each state, and doesn't say in it which; name it by " +
    "state (--state subscribed, unsubscribed or cleaned)",
);
const EVIDENCE = ["OPTIN_TIME", "OPTIN_IP", "CONFIRM_TIME"] as const;

/** Exports of Mailchimp's audiences: columns for the fields of the audience, and those of Mailchimp. */
export const MAILCHIMP: ListFormat = {
  name: "mailchimp",
  title: "Mailchimp",
  // The language of the account is that of the others.
  columns: ["OPTIN_TIME"],
  required: ["Email Address"],
  others: ["First Name", "Last Name", ...EVIDENCE, "UNSUB_TIME", "CLEAN_TIME"],
  options: ["state"],
  aliases: {
    "Email Address": [
      ...["E-Mail-Adresse", "Dirección de correo electrónico", "Correo electrónico"],
      ...["Adresse e-mail", "Adresse email", "Indirizzo e-mail", "Indirizzo email"],
      ...["Endereço de e-mail", "Endereço de email", "E-mailadres", "Adres e-mail"],
    ],
    "First Name": ["Vorname", "Nombre", "Prénom", "Nome", "Voornaam", "Imię"],
    "Last Name": [
      ...["Nachname", "Apellido", "Apellidos", "Nom", "Nom de famille", "Cognome", "Sobrenome"],
      ...["Achternaam", "Nazwisko"],
    ],
  },
  read(cells, options) {
    const subscribed = isSubscribed(cells, options);
    const [optIn, confirmation] = [cells("OPTIN_TIME"), cells("CONFIRM_TIME")];
    const evidence = EVIDENCE.map((column) => [column, cells(column)] as const)
      .filter(([, text]) => text !== "");
    return {
      userEmail: cells("Email Address"),
      userName: joinNames(cells("First Name"), cells("Last Name")),
      subscribed,
      createdAt: optIn || confirmation,
      since: subscribed === true
        ? confirmation || optIn
        : cells("UNSUB_TIME") || cells("CLEAN_TIME"),
      ...(evidence.length > 0 && { evidence: Object.fromEntries(evidence) }),
    };
  },
};

function isSubscribed(cells: Cells, { state }: ListOptions): boolean | Refusal {
  if (state === undefined) return UNKNOWN;
  if (state !== "subscribed") return false;
  const left = ["UNSUB_TIME", "CLEAN_TIME"].find((column) => cells(column).trim() !== "");
  return left === undefined || new Refusal("invalid_value", `can't be true: they have a ${left}`);
}
