import type { TeamTexts } from "./team_texts.ts";

/** The texts in Italian. */
export const it: TeamTexts = {
  welcome: (title) => `Ti diamo il benvenuto in ${title}`,
  invitationFor: (userName, userEmail) => `Questo invito è per ${userName}, ${userEmail}.`,
  signIn: "Accedi",
  firstTitle: (title) => `Configura ${title}`,
  firstHint:
    "Sarai la prima persona con il ruolo di amministratore. Il tuo nome appare accanto a ciò " +
    "che scrivi.",
  yourName: "Il tuo nome",
  yourAddress: "Il tuo indirizzo e-mail",
  begin: "Inizia",
  badName: "Inserisci il tuo nome.",
  badAddress: "Inserisci un indirizzo e-mail come ann@example.com.",
  linkEnded: "Questo link è già stato usato o è scaduto",
  linkEndedHint: "Chiedi un nuovo invito a un amministratore o accedi in un altro modo.",
  otherWays: "Altri modi per accedere",
  noAccess: "Non hai ancora accesso",
  noAccessHint: "Chiedi a un amministratore di questo servizio di invitarti.",
  noAddress: "Il provider di identità non ha confermato il tuo indirizzo e-mail. Rivolgiti a chi " +
    "gestisce questo servizio.",
  otherIdentity:
    "A questo indirizzo è associato un altro account del provider di identità. Chiedi a un " +
    "amministratore di invitarti di nuovo.",
  providerFailed: "Accesso tramite il provider di identità non riuscito",
  providerFailedHint: "Riprova o accedi in un altro modo.",

  codeSubject: (code, title) => `${code} è il tuo codice: ${title}`,
  codeText: "Inserisci questo codice dove l’hai chiesto:",
  codeNote:
    "È valido per 10 minuti. Se non l’hai chiesto tu, ignora questa e-mail: senza il codice " +
    "non entra nessuno.",
  inviteSubject: (title) => `Invito: ${title}`,
  inviteText: (title) =>
    `Hai ricevuto un invito nel team di ${title}. Apri la pagina per accedere.`,
  inviteLink: "Accetta l’invito",
  inviteNote:
    "Il link funziona una sola volta, entro 7 giorni. Se non aspettavi un invito, ignoralo.",

  digestSubject: (title) => `Stamattina: ${title}`,
  digestHeld: (count) => `Idee da approvare: ${count}`,
  digestReported: (count) => `Idee segnalate: ${count}`,
  digestIdeas: "Nuove idee",
  digestMailings: "Invii con problemi",
  digestWebhooks: "Webhook con problemi",
  openStudio: "Apri lo studio",
  digestNote: "Ricevi questa e-mail come membro del team, al massimo una volta al giorno.",
  digestSettings: "Ferma questa e-mail",
};
