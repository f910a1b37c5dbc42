"""Which models take pictures, and how they are handed to the others: not at all. Pure."""

import re

from tao.errors import Refused, both
from tao.messages import Request
from tao.models.profiles import Profile
from tao.seams import Abilities


def takes_pictures(profile: Profile, model: str) -> bool:
    """Whether a model of that name takes pictures beside text, as far as its provider says."""
    return bool(profile.images and re.search(profile.images, model, re.IGNORECASE))


def refuse_pictures(request: Request, name: str, abilities: Abilities, *, urls: bool = True) -> None:
    """Raise Refused where the request holds pictures that this model does not take; nothing was sent then."""
    pictures = [image for message in request.messages for image in message.images]
    if pictures and not abilities.images:
        raise Refused(both(f"{name} takes no images; ask a model that does", f"{name} 不支持图片；请换用支持图片的模型"))
    if not urls and any(image.url for image in pictures):
        raise Refused(
            both(
                f"{name} does not fetch images by their address; give the file itself",
                f"{name} 不会按地址下载图片；请直接提供图片文件",
            )
        )
