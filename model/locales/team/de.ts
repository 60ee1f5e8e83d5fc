import type { TeamTexts } from "./team_texts.ts";

/** The texts in German. */
export const de: TeamTexts = {
  welcome: (title) => `Willkommen bei ${title}`,
  invitationFor: (userName, userEmail) => `Diese Einladung ist für ${userName}, ${userEmail}.`,
  signIn: "Anmelden",
  firstTitle: (title) => `${title} einrichten`,
  firstHint:
    "Sie übernehmen als erste Person die Verwaltung. Ihr Name steht bei dem, was Sie schreiben.",
  yourName: "Ihr Name",
  yourAddress: "Ihre E-Mail-Adresse",
  begin: "Loslegen",
  badName: "Geben Sie Ihren Namen ein.",
  badAddress: "Geben Sie eine E-Mail-Adresse wie ann@example.com ein.",
  linkEnded: "Dieser Link wurde schon benutzt oder gilt nicht mehr",
  linkEndedHint: "Bitten Sie die Verwaltung um eine neue Einladung oder melden Sie sich anders an.",
  otherWays: "Anders anmelden",
  noAccess: "Sie haben noch keinen Zugang",
  noAccessHint: "Bitten Sie die Verwaltung dieses Dienstes, Sie einzuladen.",
  noAddress:
    "Der Anmeldedienst hat Ihre E-Mail-Adresse nicht bestätigt. Wenden Sie sich an den Betreiber.",
  otherIdentity:
    "Zu dieser Adresse gehört ein anderes Konto beim Anmeldedienst. Bitten Sie die Verwaltung, " +
    "Sie noch einmal einzuladen.",
  providerFailed: "Der Anmeldedienst hat Sie nicht angemeldet",
  providerFailedHint: "Versuchen Sie es noch einmal oder melden Sie sich anders an.",

  codeSubject: (code, title) => `${code} ist Ihr Code: ${title}`,
  codeText: "Geben Sie diesen Code dort ein, wo Sie ihn angefordert haben:",
  codeNote:
    "Er gilt 10 Minuten. Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail: " +
    "Ohne den Code kommt niemand hinein.",
  inviteSubject: (title) => `Einladung: ${title}`,
  inviteText: (title) =>
    `Sie sind in das Team von ${title} eingeladen. Öffnen Sie die Seite, um sich anzumelden.`,
  inviteLink: "Einladung annehmen",
  inviteNote:
    "Der Link gilt einmal, innerhalb von 7 Tagen. Wenn Sie keine Einladung erwartet haben, " +
    "ignorieren Sie sie.",

  digestSubject: (title) => `Heute Morgen: ${title}`,
  digestHeld: (count) => `Ideen, die auf Freigabe warten: ${count}`,
  digestReported: (count) => `Gemeldete Ideen: ${count}`,
  digestIdeas: "Neue Ideen",
  digestMailings: "Gestörte Aussendungen",
  digestWebhooks: "Gestörte Webhooks",
  openStudio: "Studio öffnen",
  digestNote: "Sie bekommen diese E-Mail als Mitglied des Teams, höchstens einmal am Tag.",
  digestSettings: "Diese E-Mail abstellen",
};
