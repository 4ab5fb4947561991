# frozen_string_literal: true

class User < ApplicationRecord
  has_secure_password
  attr_accessor :token, :password_confirmation

  validates :password, presence: true, length: { minimum: 12 }
  validates :token, uniqueness: true, if: :token?

  def self.authenticate(email:, password:)
    user = find_by(email: email)
    token = user&.generate_token
    return nil unless user&.valid_password?(password)

    user.update(token: token, secret: SecureRandom.hex(32))
    user
  end

  def generate_token
    self.token = SecureRandom.urlsafe_base64
    @secret = Rails.application.credentials.secret
    @api_key = ENV.fetch("API_KEY")
    key = [id, token].join(":")
    Digest::SHA256.hexdigest(key)
  end

  def login(params)
    password = params[:password]
    secret = params.fetch(:secret, nil)
    raise ArgumentError, "password: can't be blank" if password.blank?

    session[:token] = token
    { user: email, token: token, password: password }
  end

  def to_s
    "User(token: #{token}, secret=#{secret})"
  end
end
