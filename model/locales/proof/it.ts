import type { ProofTexts } from "./proof_texts.ts";

/** The texts in Italian. */
export const it: ProofTexts = {
  mailSubject: (name) => `Conferma, per favore: ${name}`,
  voteSubject: (name) => `Conferma il tuo voto, per favore: ${name}`,
  ideaSubject: (name) => `Conferma la tua idea, per favore: ${name}`,
  mailText: (name) =>
    `Qualcuno, speriamo tu, ha inserito il tuo indirizzo e-mail in un modulo di ${name}. ` +
    "Apri la pagina per vedere di che si tratta e confermalo lì.",
  mailLink: "Guarda e conferma",
  mailIgnore:
    "Il link è valido per 7 giorni. Se non sei stato tu, ignora questa e-mail o diccelo nella pagina: " +
    "non ti scriveremo mai più.",

  waiting: "Viene da te?",
  waitingHint: (userEmail) =>
    `È stato inviato con l’indirizzo ${userEmail}. Non succede nulla prima della tua conferma.`,
  ofSignUp: (title) => `Ricevere le novità di ${title} per e-mail`,
  ofVote: (title) => `Voto per: ${title}`,
  ofIdea: (title) => `Nuova idea: ${title}`,
  withMail: "con un’e-mail quando ci sono novità",
  confirm: "Conferma",
  nothingWaits: "Nulla attende la tua conferma",
  notMe: "Non sei stato tu?",
  notMeHint:
    "Allora non succede nulla. Puoi anche fermare tutte le e-mail che i moduli di qui ti inviano.",
  never: "Non sono stato io: non scrivetemi mai più",
  neverDone: "Non ti scriveremo più",
  neverDoneHint: "Ciò che attendeva è stato eliminato.",
  confirmed: "Grazie, è confermato",
  held: "La tua idea sarà visibile appena il team l’avrà approvata.",
  ended: "Questo non era più possibile:",

  remember: "Ricordami in questo browser",
  rememberHint:
    "Così un voto è un tocco, senza e-mail. Salviamo un cookie per 90 giorni. Fallo solo sul tuo dispositivo.",
  remembered: "Questo browser si ricorda di te",
  rememberedHint: "Ora un voto è un tocco.",
  forgetBrowser: "Esci da questo browser",
  browserForgotten: "Sei uscito da questo browser",

  mine: "Le tue idee e i tuoi voti",
  mineHint:
    "Inserisci il tuo indirizzo. Ti inviamo un link a tutto ciò che hai votato, scritto e chiesto.",
  sendLink: "Inviami il link",
  nothingMine: "Qui non c’è nulla di tuo.",
  notShown: "un’idea che non è pubblica",
  myVotes: "Hai votato per",
  myIdeas: "Hai scritto",
  isTold: "Ricevi un’e-mail quando ci sono novità",
  askMail: "Scrivetemi quando ci sono novità",
  endMail: "Nessuna e-mail al riguardo",
  moreMine: "C’è più di quanto mostri questa pagina. Ritiri dei voti per vedere il resto.",
  withdraw: "Ritira il voto",
  stop: "Ferma tutte le e-mail",
  stopHint: "I tuoi voti restano. Nessuno ti scrive di essi né delle novità.",
  stopped: "Non ti scriviamo più",
  forgetMe: "Elimina tutto di me",
  forgetMeHint:
    "Elimina i tuoi voti, la tua iscrizione e le tue idee che nessun altro ha votato. Le altre idee restano " +
    "senza il tuo indirizzo.",
  kept: "Conserviamo il tuo indirizzo con i tuoi voti e le tue idee finché non ritiri un voto o " +
    "fai eliminare tutto.",
  keptAfterwards: (duration) =>
    "Quando un’idea è realizzata o rifiutata, gli indirizzi vengono eliminati e il numero di " +
    `voti resta. Termine: ${duration}`,
  forgetMeQuestion: "Eliminare davvero tutto di te?",
  keepEverything: "No, conserva tutto",
  forgotten: "Tutto di te è stato eliminato",
  forgottenHint: "Qui non è più salvato nulla di te.",
  votingAs: (name) => `Voti come: ${name}`,
  foreign: "Riprova qui",
  foreignHint:
    "Un altro sito ha inviato questo modulo, quindi non è stato fatto nulla. Apri la pagina e premi il pulsante.",

  vote: "Vota",
  voteAndMail: "Vota, e scrivetemi quando ci sono novità",
  voteHint: "Nessuno vede il tuo indirizzo. Confermi con un’e-mail.",
  voteCounts: "Il tuo voto conta",
  withdrawn: "Il tuo voto è ritirato",
  votingEnded: "Qui la votazione è finita",
  newIdea: "Nuova idea",
  ideaTitle: "Titolo",
  ideaBody: "Raccontaci di più (facoltativo)",
  send: "Invia",
  sendAndMail: "Invia, e scrivetemi quando ci sono novità",
  badTitle: "Inserisci un titolo da 3 a 120 caratteri, senza link.",
  badBody: "Fino a 8 KB di testo, senza immagini.",
  boardFull: "Questa bacheca per ora non accetta altre idee",
  report: "Segnala questa idea",
  reportReason: "Che cosa non va?",
  badReason: "Inserisci un motivo da 3 a 1.000 caratteri.",
  reported: "Grazie per la segnalazione",
  reportedHint: "Il team darà un’occhiata.",
};
