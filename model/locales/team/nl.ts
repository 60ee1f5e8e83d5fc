import type { TeamTexts } from "./team_texts.ts";

/** The texts in Dutch. */
export const nl: TeamTexts = {
  welcome: (title) => `Welkom bij ${title}`,
  invitationFor: (userName, userEmail) => `Deze uitnodiging is voor ${userName}, ${userEmail}.`,
  signIn: "Inloggen",
  firstTitle: (title) => `${title} instellen`,
  firstHint: "Je wordt de eerste beheerder. Je naam staat bij wat je schrijft.",
  yourName: "Je naam",
  yourAddress: "Je e-mailadres",
  begin: "Aan de slag",
  badName: "Vul je naam in.",
  badAddress: "Vul een e-mailadres in zoals ann@example.com.",
  linkEnded: "Deze link is al gebruikt of verlopen",
  linkEndedHint: "Vraag een beheerder om een nieuwe uitnodiging, of log op een andere manier in.",
  otherWays: "Anders inloggen",
  noAccess: "Je hebt nog geen toegang",
  noAccessHint: "Vraag een beheerder van deze dienst om je uit te nodigen.",
  noAddress:
    "De inlogdienst heeft je e-mailadres niet bevestigd. Vraag het aan wie deze dienst beheert.",
  otherIdentity:
    "Bij dit adres hoort een ander account van de inlogdienst. Vraag een beheerder om je " +
    "opnieuw uit te nodigen.",
  providerFailed: "De inlogdienst heeft je niet ingelogd",
  providerFailedHint: "Probeer het opnieuw, of log op een andere manier in.",

  codeSubject: (code, title) => `${code} is je code: ${title}`,
  codeText: "Vul deze code in waar je erom vroeg:",
  codeNote:
    "Hij is 10 minuten geldig. Heb je er niet om gevraagd? Negeer deze e-mail: zonder de code " +
    "komt niemand binnen.",
  inviteSubject: (title) => `Uitnodiging: ${title}`,
  inviteText: (title) =>
    `Je bent uitgenodigd voor het team van ${title}. Open de pagina om in te loggen.`,
  inviteLink: "Uitnodiging accepteren",
  inviteNote:
    "De link werkt één keer, binnen 7 dagen. Verwachtte je geen uitnodiging? Negeer haar dan.",

  digestSubject: (title) => `Vanochtend: ${title}`,
  digestHeld: (count) => `Ideeën die op goedkeuring wachten: ${count}`,
  digestReported: (count) => `Gemelde ideeën: ${count}`,
  digestIdeas: "Nieuwe ideeën",
  digestMailings: "Mailings met problemen",
  digestWebhooks: "Webhooks met problemen",
  openStudio: "Studio openen",
  digestNote: "Je krijgt deze e-mail als lid van het team, hooguit één keer per dag.",
  digestSettings: "Stop deze e-mail",
};
