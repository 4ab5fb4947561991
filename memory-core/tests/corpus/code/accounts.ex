defmodule App.Accounts do
  @moduledoc """
  Users and their tokens. A bearer token is valid for a day.
  """
  alias App.Accounts.{Token, User}

  @token_bytes 32

  def authenticate(email, password) when is_binary(password) do
    with %User{} = user <- get_user(email),
         true <- valid_password?(user, password),
         {:ok, token} <- create_token(user) do
      {:ok, %{user | token: token}}
    else
      _ -> {:error, "invalid password or token"}
    end
  end

  def create_token(user) do
    token = :crypto.strong_rand_bytes(@token_bytes)
    secret = Application.fetch_env!(:app, :secret)
    key = Base.url_encode64(token)
    Repo.insert(%Token{token: key, user_id: user.id, secret: secret})
  end

  defp changeset(user, attrs) do
    user
    |> cast(attrs, [:email, :password, :token])
    |> validate_length(:password, min: 12)
    |> put_change(:password, nil)
  end

  def config do
    [token: System.get_env("TOKEN"), password: System.fetch_env!("PASSWORD"), api_key: nil]
  end
end
