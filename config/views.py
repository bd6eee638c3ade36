"""Pages that belong to no door: where somebody lands after signing in, signing in, and evidence by its link."""

from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST
from django.views.i18n import LANGUAGE_QUERY_PARAMETER, set_language

from closures import evidence, thumbnails
from engineers import people
from engineers.models import User
from engineers.roles import for_anybody, for_people, user_of


@for_people
def home(request: HttpRequest) -> HttpResponse:
    """The board for the office, the day for an engineer."""
    return redirect("board:day" if user_of(request).is_office else "phone:day")


class SignIn(LoginView):
    """Whoever has chosen a language gets it on this browser, too."""

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        user = form.get_user()
        if isinstance(user, User) and user.language:
            _speak(response, user.language)
        return response


def _speak(response: HttpResponse, language: str) -> None:
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
        samesite="Lax",
    )


@for_anybody
@require_POST
def language(request: HttpRequest) -> HttpResponse:
    """The language of this browser, and of whoever is signed in: Django's own way, which goes back to `next`."""
    chosen = request.POST.get(LANGUAGE_QUERY_PARAMETER, "")
    if request.user.is_authenticated and chosen in dict(settings.LANGUAGES):
        people.choose_language(user=user_of(request), language=chosen)
    response: HttpResponse = set_language(request)
    return response


login = for_anybody(SignIn.as_view(redirect_authenticated_user=True))
logout = for_anybody(LogoutView.as_view())


@for_anybody
def photo(_request: HttpRequest, token: str) -> FileResponse:
    """A photo by its signed link: the seller fetches it with a plain GET (installation-jobs.md, files)."""
    opened = evidence.open_signed(token)
    if opened is None:
        raise Http404
    response = FileResponse(opened, content_type="image/jpeg")
    # the link is the only key, and what it opens never changes
    response.headers["Cache-Control"] = "private, max-age=86400, immutable"
    return response


@for_anybody
def small_photo(_request: HttpRequest, token: str) -> FileResponse:
    """The small picture by the photo's own link; the photo itself as long as there is no small one."""
    opened = thumbnails.open_signed(token)
    if opened is None:
        raise Http404
    file, is_small = opened
    response = FileResponse(file, content_type="image/jpeg")
    kept = "max-age=86400, immutable" if is_small else "no-cache"
    response.headers["Cache-Control"] = f"private, {kept}"
    return response
