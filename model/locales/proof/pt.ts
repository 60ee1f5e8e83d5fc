import type { ProofTexts } from "./proof_texts.ts";

/** The texts in Portuguese. */
export const pt: ProofTexts = {
  mailSubject: (name) => `Confirme, por favor: ${name}`,
  voteSubject: (name) => `Confirme o seu voto, por favor: ${name}`,
  ideaSubject: (name) => `Confirme a sua ideia, por favor: ${name}`,
  mailText: (name) =>
    `Alguém, esperamos que você, escreveu o seu endereço de e-mail num formulário de ${name}. ` +
    "Abra a página para ver do que se trata e confirme lá.",
  mailLink: "Ver e confirmar",
  mailIgnore:
    "O link é válido por 7 dias. Se não foi você, ignore este e-mail ou avise-nos na página: assim nunca " +
    "mais lhe escrevemos.",

  waiting: "Isto é seu?",
  waitingHint: (userEmail) =>
    `Foi enviado com o endereço ${userEmail}. Nada acontece antes da sua confirmação.`,
  ofSignUp: (title) => `Receber as novidades de ${title} por e-mail`,
  ofVote: (title) => `Voto em: ${title}`,
  ofIdea: (title) => `Ideia nova: ${title}`,
  withMail: "com um e-mail quando houver novidades",
  confirm: "Confirmar",
  nothingWaits: "Nada espera pela sua confirmação",
  notMe: "Não foi você?",
  notMeHint:
    "Então nada acontece. Também pode parar todos os e-mails que os formulários daqui lhe enviam.",
  never: "Não fui eu: nunca mais me escrevam",
  neverDone: "Não lhe escreveremos mais",
  neverDoneHint: "O que esperava foi apagado.",
  confirmed: "Obrigado, está confirmado",
  held: "A sua ideia aparece assim que a equipe a aprovar.",
  ended: "Isto já não foi possível:",

  remember: "Lembrar-se de mim neste navegador",
  rememberHint:
    "Assim um voto é um toque, sem e-mail. Guardamos um cookie por 90 dias. Faça isto só no seu próprio " +
    "aparelho.",
  remembered: "Este navegador lembra-se de você",
  rememberedHint: "Agora um voto é um toque.",
  forgetBrowser: "Sair neste navegador",
  browserForgotten: "A sessão terminou neste navegador",

  mine: "As suas ideias e votos",
  mineHint:
    "Escreva o seu endereço. Enviamos um link para tudo em que votou, o que escreveu e o que pediu.",
  sendLink: "Enviar-me o link",
  nothingMine: "Não há nada seu aqui.",
  notShown: "uma ideia que não é pública",
  myVotes: "Votou em",
  myIdeas: "Escreveu",
  isTold: "Recebe um e-mail quando houver novidades",
  askMail: "Avisem-me quando houver novidades",
  endMail: "Nenhum e-mail sobre isto",
  moreMine: "Há mais do que esta página mostra. Retire votos para ver o resto.",
  withdraw: "Retirar o voto",
  stop: "Parar todos os e-mails",
  stopHint: "Os seus votos ficam. Ninguém lhe escreve sobre eles nem sobre novidades.",
  stopped: "Já não lhe escrevemos",
  forgetMe: "Apagar tudo sobre mim",
  forgetMeHint:
    "Apaga os seus votos, a sua inscrição e as suas ideias em que mais ninguém votou. Outras ideias ficam " +
    "sem o seu endereço.",
  kept: "Guardamos o seu endereço com os seus votos e ideias até que retire um voto ou peça para " +
    "apagar tudo.",
  keptAfterwards: (duration) =>
    "Quando uma ideia é lançada ou recusada, os endereços são apagados e o número de votos " +
    `fica. Prazo: ${duration}`,
  forgetMeQuestion: "Apagar mesmo tudo sobre você?",
  keepEverything: "Não, manter tudo",
  forgotten: "Tudo sobre você foi apagado",
  forgottenHint: "Não há mais nada seu guardado aqui.",
  votingAs: (name) => `Vota como: ${name}`,
  foreign: "Tente de novo aqui",
  foreignHint:
    "Outro site enviou este formulário, por isso nada foi feito. Abra a página e carregue no botão.",

  vote: "Votar",
  voteAndMail: "Votar, e receber um e-mail quando houver novidades",
  voteHint: "Ninguém vê o seu endereço. Confirma por e-mail.",
  voteCounts: "O seu voto conta",
  withdrawn: "O seu voto foi retirado",
  votingEnded: "A votação terminou aqui",
  newIdea: "Ideia nova",
  ideaTitle: "Título",
  ideaBody: "Conte-nos mais (opcional)",
  send: "Enviar",
  sendAndMail: "Enviar, e receber um e-mail quando houver novidades",
  badTitle: "Escreva um título de 3 a 120 caracteres, sem links.",
  badBody: "Até 8 KB de texto, sem imagens.",
  boardFull: "Este quadro não aceita mais ideias de momento",
  report: "Denunciar esta ideia",
  reportReason: "O que há de errado com ela?",
  badReason: "Escreva um motivo de 3 a 1.000 caracteres.",
  reported: "Obrigado por nos avisar",
  reportedHint: "A equipe vai ver.",
};
