package example

final case class Token(kind: String, text: String)

class Parser(tokens: Iterator[Token]) {
  private var token: Option[Token] = None
  private lazy val secret: String = sys.env.getOrElse("SECRET", "")

  def next(): Option[Token] = {
    token = if (tokens.hasNext) Some(tokens.next()) else None
    token
  }

  def login(user: String, password: String): Either[String, Token] =
    for {
      key <- Right(user + password.length)
      token = Token("bearer", key)
      _ <- if (password.isEmpty) Left("password: empty") else Right(())
    } yield token
}
