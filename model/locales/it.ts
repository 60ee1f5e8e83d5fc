import type { Texts } from "./locale.ts";

// “Tu”, without participles that depend on the reader's gender.
/** The texts in Italian. */
export const it: Texts = {
  about: "Le novità, dalla più recente alla meno recente",
  skip: "Vai al contenuto",
  changelog: "Novità",
  feeds: "Segui con un feed",
  labels: "Etichette",
  labelled: (label) => `Con l’etichetta «${label}»`,
  pages: "Pagine",
  newerEntries: "Novità più recenti",
  olderEntries: "Novità precedenti",
  allEntries: "Tutte le novità",
  newerEntry: "Più recente",
  olderEntry: "Precedente",
  readMoreAt: (host) => `Scopri di più su ${host}`,
  nothingYet: "Non è stato ancora pubblicato nulla",
  nothingYetHint: "Segui il feed per sapere della prima novità.",
  nothingLabelled: "Nessuna novità ha questa etichetta",
  search: "Cerca",
  found: (q) => `Risultati per «${q}»`,
  nothingFound: "Nessun risultato",
  nothingFoundHint: "Prova con meno parole, o con altre.",
  preview: "Questa è un’anteprima. Forse la novità non è ancora pubblicata.",

  notFound: "Qui non c’è nulla",
  notFoundHint: "Forse la pagina è stata ritirata, o l’indirizzo non è completo.",
  unreadable: "Questo indirizzo non funziona",
  unreadableHint: "Ne manca una parte, o è stata modificata per strada.",
  unavailable: "Ora non possiamo mostrare questa pagina",
  unavailableHint: "Riprova tra un minuto.",
  whatIsNew: "Vedi le novità",

  signUp: "Ricevi le novità via e-mail",
  signUpHint: "Un’e-mail per ogni novità. Puoi annullare l’iscrizione in ogni momento.",
  email: "Indirizzo e-mail",
  name: "Nome (facoltativo)",
  subscribe: "Iscriviti",
  leaveEmpty: "Lascia vuoto questo campo",
  badEmail: "Scrivi un indirizzo e-mail come nome@example.com.",
  badName: "Scrivi un nome di al massimo 200 caratteri, senza caratteri di controllo.",
  lookForMail: "Controlla la posta",
  lookForMailHint:
    "Apri il suo link per confermare. Se oggi hai già ricevuto un’e-mail da noi, il suo link mostra anche " +
    "questo. Se non arriva entro qualche minuto, guarda nella posta indesiderata.",
  confirm: "Conferma l’iscrizione",
  confirmHint: (userEmail) => `Le novità saranno inviate a ${userEmail}.`,
  confirmed: "Iscrizione confermata",
  confirmedHint:
    "Ti invieremo un’e-mail per ogni novità. In ognuna c’è un link per annullare l’iscrizione.",
  expired: "Questo link è scaduto",
  expiredHint: "Scrivi di nuovo il tuo indirizzo per riceverne un altro.",
  badLink: "Questo link non è completo",
  badLinkHint: "Copialo per intero dall’e-mail.",

  unsubscribe: "Annulla l’iscrizione",
  unsubscribeQuestion: "Non vuoi più ricevere e-mail?",
  unsubscribeHint: "Non ti invieremo più le novità.",
  unsubscribed: "Iscrizione annullata",
  unsubscribedHint: "Non ti invieremo più le novità.",
  endAsks: "Non ricevere più e-mail su ciò che ho chiesto",
  asksEnded: "Non ti invieremo più e-mail su ciò che hai chiesto.",
  choose: "Scegli che cosa ricevere",
  everything: "Tutto",
  onlyLabels: "Solo novità con una di queste etichette:",
  howOften: "Con quale frequenza",
  paceEach: "Un’e-mail per ogni novità",
  paceWeekly: "Un’e-mail alla settimana",
  save: "Salva",
  saved: "La tua scelta è salvata.",
  tooManyLabels: (max) => `Troppe etichette: non è stato salvato nulla. Al massimo: ${max}`,
  noLabel: "Scegli un’etichetta oppure “Tutto”: non è stato salvato nulla.",
  weekSoFar: "Questa settimana finora",
  weekly: (title) => `La settimana di ${title}`,

  preheader: (title) => `Novità da ${title}`,
  readOnWeb: "Leggi sul web",
  learnMore: "Scopri di più",
  youAsked: (day, title) => `L’hai chiesto il ${day}: ${title}`,
  whyYouGetThis: (title) => `Ricevi questa e-mail per la tua iscrizione a ${title}.`,
  notTracked: "Questa e-mail non è tracciata: nessuno sa se la apri o se segui i suoi link.",
  test: "Prova",

  confirmSubject: (title) => `Conferma l’iscrizione a ${title}`,
  confirmRequest: (title, userEmail) =>
    `Qualcuno, speriamo tu, ha chiesto di inviare le novità di ${title} a ${userEmail}.`,
  confirmLink: "Conferma l’iscrizione",
  confirmIgnore:
    "Il link vale 7 giorni. Se la richiesta non è tua, ignora questa e-mail: non ci sarà alcuna iscrizione.",
  alreadySubject: (title) => `Hai già un’iscrizione a ${title}`,
  alreadyText: (title, userEmail) =>
    `Qualcuno, speriamo tu, ha chiesto di inviare le novità di ${title} a ${userEmail}. ` +
    "Le ricevi già, non c’è nulla da fare.",

  unread: (count) => `Da leggere: ${count}`,
  close: "Chiudi",
};
