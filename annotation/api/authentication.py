"""Who sends an API request: the owner of the token in its ``Authorization`` header."""

from __future__ import annotations

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from annotation.managing.tokens import user_by_token
from annotation.models import User

KEYWORDS = (b"bearer", b"token")


class TokenAuthentication(BaseAuthentication):
    """``Authorization: Bearer <token>``; the word ``Token`` does as well."""

    def authenticate(self, request: Request) -> tuple[User, None] | None:
        """The owner of the token, None when another way to sign in is used."""
        parts = get_authorization_header(request).split()
        if not parts or parts[0].lower() not in KEYWORDS:
            return None
        if len(parts) != 2:
            raise AuthenticationFailed(
                "The Authorization header must be the word Bearer, a space and one token."
            )
        user = user_by_token(parts[1].decode("latin-1"))
        if user is None:
            raise AuthenticationFailed(
                "This token is unknown or was revoked. Make a new one on your account page."
            )
        return user, None

    def authenticate_header(self, request: Request) -> str:
        """Makes a request without a valid token a 401, not a 403."""
        return "Bearer"


class TokenScheme(OpenApiAuthenticationExtension):
    """The token in the OpenAPI schema."""

    target_class = "annotation.api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        """A bearer token."""
        return {"type": "http", "scheme": "bearer"}
